"""HTTP API of roles, memories and modes. It holds no rules."""
