"""JSON Schemas of the format."""
