"""All writes of roles, memories and modes. Each function is one transaction."""
