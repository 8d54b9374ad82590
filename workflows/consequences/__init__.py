"""The consequences of a change that has not happened yet: pure, and the same for proposals on the
server, pull requests, the command line and coding agents."""
