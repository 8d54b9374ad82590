"""Tools by name: those that agents know from other systems, and the tools of MCP servers."""
