"""Recorded runs: reading a log back, verifying, comparing and forking."""
