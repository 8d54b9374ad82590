"""Execution of packs."""
