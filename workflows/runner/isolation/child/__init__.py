"""The supervisor of one command: a process between the server and the command.

Standard library only: it starts for each command, with nothing of the server's environment.
"""
