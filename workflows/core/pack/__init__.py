"""A pack as values: its files, graph, edits, forms and findings."""
