"""Pure functions over pack files: no Django, no clock, no socket, no file."""
