"""The rule about tools that a server does not have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.pack.findings import EVERY, Finding, rule
from workflows.core.pack.graph import Graph


@rule("GR115", "error", "Tool is not available", profiles=EVERY)
def unavailable_tool(source: Any, graph: Graph) -> Iterable[Finding]:
    """The pack allows a tool that this server does not have: it is neither a standard tool, nor
    bound, nor offered by a connected MCP server. No run can start. Bind the tool under Tools,
    connect its MCP server under Settings, or remove the name. Only a server reports this, because
    `signalbox check` does not know its tools."""
    # `selectors.known_tools` adds these findings: files alone have none.
    return ()
