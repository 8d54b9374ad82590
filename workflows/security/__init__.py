"""Egress rules, the HTTP client that enforces them, encryption of secrets and upload limits."""
