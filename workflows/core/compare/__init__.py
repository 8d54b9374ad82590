"""Semantic difference of two versions of a pack. `difference` is the entry point."""
