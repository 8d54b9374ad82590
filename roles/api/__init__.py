"""HTTP for roles, memories and modes. It holds no rules."""
