"""Export formats of an agent graph."""
