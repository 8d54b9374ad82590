"""Formats that a pack can be exported in: the `EXPORTS` of each module."""
