"""The server on standard input and output."""

from __future__ import annotations

from typing import Any

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

from workflows.agent_tools.calls import answered
from workflows.agent_tools.mcp_server import mcp_server
from workflows.agent_tools.packs import Packs

THREADS = 2


def server_of(packs: Packs) -> Server[Any]:
    """The server for the one client of this process."""
    return mcp_server(lambda context, *call: answered(packs, *call), THREADS)


def serve(packs: Packs) -> None:
    """Serve until the client closes the input."""
    anyio.run(_serve, server_of(packs))


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
