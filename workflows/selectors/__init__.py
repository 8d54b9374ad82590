"""Reads for pages, the API and runs. No writes."""
