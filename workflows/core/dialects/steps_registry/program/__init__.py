"""Runs of a registry: gate, router, prompts, validators, verdicts. See `program.py`."""
