"""Repositories on this machine, read and written with the git program."""
