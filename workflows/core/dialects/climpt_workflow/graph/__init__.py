"""The projection of a workflow."""
