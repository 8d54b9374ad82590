"""Pages of roles, of what they remember, and of modes."""
