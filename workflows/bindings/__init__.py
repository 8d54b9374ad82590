"""Roles bound to the states of a run."""
