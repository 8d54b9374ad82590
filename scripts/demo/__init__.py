"""The demo page of the site: its Python, packed for a browser."""
