"""How a pipeline of stages runs. See the dialect's README for the events."""
