"""Wiring without behaviour: settings, URLs, ASGI and the command line."""
