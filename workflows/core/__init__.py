"""The ground floor: pure functions over pack files. No Django, no clock, no socket, no file."""
