"""The tools of coding agents at /mcp, in the Model Context Protocol over streamable HTTP."""

from __future__ import annotations

from workflows.plugins.base import Plugin

PLUGIN = Plugin(name="mcp", asgi="/mcp workflows.plugins.mcp.http.application")
