"""The program of a workflow."""
