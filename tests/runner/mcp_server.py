"""An MCP server over stdin and stdout, started by the tests as a process."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from mcp.server.mcpserver import MCPServer

server = MCPServer("ours")


@server.tool()
def add(a: int, b: int) -> str:
    """The sum."""
    return str(a + b)


@server.tool()
def breaks() -> str:
    """Never works."""
    raise ValueError("out of paper")


@server.tool()
def environment() -> str:
    """The names in its environment."""
    return " ".join(sorted(os.environ))


@server.tool()
async def hangs() -> str:
    """Gives no answer, and says beforehand who it is."""
    Path("pid").write_text(str(os.getpid()))
    await asyncio.Event().wait()
    return ""


if __name__ == "__main__":
    server.run("stdio")
