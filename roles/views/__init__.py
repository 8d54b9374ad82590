"""Pages of roles, their memory, and modes."""
