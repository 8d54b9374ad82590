"""Runs as event streams of AG-UI over HTTP."""
