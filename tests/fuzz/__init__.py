"""The whole API under random and malformed requests."""
