"""JSON Schemas that come from packs: their size on reading, and validation with a limited cost."""
