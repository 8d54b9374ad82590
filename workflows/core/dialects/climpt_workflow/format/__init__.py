"""The parts of a workflow file as values."""
