"""PURE: what a role's prompts mean. No Django, clock, socket, file or random number."""
