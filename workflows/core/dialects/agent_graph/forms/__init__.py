"""Forms of the inspector, and the outline."""
