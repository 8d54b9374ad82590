"""How a registry runs: gate, router, prompts, validators, verdicts. `program.py` puts them together."""
