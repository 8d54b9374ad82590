"""The parts of `workflows.core.difference`: two sides, their trees, names, arrows and files."""
