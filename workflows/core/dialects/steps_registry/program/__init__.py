"""How a registry runs: gate, router, prompts, validators, verdicts; see `program.py`."""
