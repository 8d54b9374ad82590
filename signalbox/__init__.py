"""Wiring, no behaviour."""
