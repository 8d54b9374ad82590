"""The tools of an MCP server at an address, without a database."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflows.runner.tools.base import Context, ToolFailed
from workflows.runner.tools.mcp import listed_tools

MAX_SECONDS = 30.0
"""Time limit of a listing or a test, because a user waits for it."""


def list_tools(
    address: Mapping[str, Any], secrets: Mapping[str, str], private_hosts: tuple[str, ...]
) -> list[dict[str, Any]]:
    """The tools of the server at `{"url"}` or `{"command"}`: `{"tool", "description", "parameters",
    "read_only"}`. A command is started in a temporary folder. Raises ToolFailed."""
    with tempfile.TemporaryDirectory(prefix="signalbox-mcp-") as folder:

        async def workspace() -> Path:
            return Path(folder)

        context = Context(
            name="",
            pack=0,
            key="",
            settings={"timeout": MAX_SECONDS, **address},
            secrets=secrets,
            commands=True,
            private_hosts=private_hosts,
            workspace=workspace,
        )
        return asyncio.run(_within_time(context))


async def _within_time(context: Context) -> list[dict[str, Any]]:
    seconds = min(context.timeout, MAX_SECONDS)
    try:
        async with asyncio.timeout(seconds):
            return await listed_tools(context)
    except TimeoutError:
        raise ToolFailed(
            f"The MCP server did not list its tools within {seconds:g} seconds."
        ) from None
