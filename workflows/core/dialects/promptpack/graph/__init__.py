"""The graph of a pack: workflow states, agents, prompts, and compositions as levels."""
