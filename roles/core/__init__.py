"""Pure rules of prompts: no Django, clock, socket, file or random number."""
