"""Rehearsal of a script."""
