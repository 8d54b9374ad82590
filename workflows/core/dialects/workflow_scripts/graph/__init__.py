"""The projection of a script."""
