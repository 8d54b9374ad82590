"""The only code that writes roles, memories and modes. Each function is one transaction."""
