"""The whole API under requests that nobody would write."""
