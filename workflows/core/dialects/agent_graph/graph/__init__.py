"""The graph of a team: agents as states, edges as transitions."""
