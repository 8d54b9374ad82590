"""The graph of a pipeline: states, transitions, their labels and what may still be connected."""
