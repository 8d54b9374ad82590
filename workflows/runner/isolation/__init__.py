"""Isolation of commands from the server, its data and each other."""
