"""The graph of a registry: steps as states, intents as transitions."""
