"""An MCP server in a process of its own: over stdin and stdout, or with `http` over streamable
HTTP, at a free port that it prints when it is ready."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("ours")


@server.tool()
def add(a: int, b: int) -> str:
    """The sum."""
    return str(a + b)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look() -> str:
    """Changes nothing."""
    return "all quiet"


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
    """Never answers, after printing its process id."""
    Path("pid").write_text(str(os.getpid()))
    await asyncio.Event().wait()
    return ""


@server.tool()
async def headers(ctx: Context) -> str:
    """Headers of the current request."""
    request = ctx.request_context.request
    return str(request.headers.get("authorization", "nobody"))


@server.tool()
async def dies() -> str:
    """Ends the server in the middle of the call."""
    os._exit(3)


@server.tool()
async def slow() -> str:
    """Report the call on stdout, and never return."""
    print("called", flush=True)
    await asyncio.Event().wait()
    return ""


@server.tool()
async def never() -> str:
    """Gives no answer."""
    await asyncio.Event().wait()
    return ""


async def over_http() -> None:
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(server.streamable_http_app(), log_level="error")
    print(listening.getsockname()[1], flush=True)
    await uvicorn.Server(config).serve(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        asyncio.run(over_http())
    else:
        server.run("stdio")
