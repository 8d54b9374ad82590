"""Layered prompts, role templates, gates and modes."""
