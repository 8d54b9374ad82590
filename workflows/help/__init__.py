"""The documentation as pages: the Markdown of `docs/`, the pages of dialects, and the reference of
the API. The server has them under `/help/`, and `scripts/site.py` writes them as a site."""
