"""Tools of a run without a server: standard ones, those that the command line binds, and those of
MCP servers that it starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.commands.errors import Trouble
from signalbox.commands.run_tools import MCP_NAME, Binding, private_hosts
from workflows.core.dialects.base import Dialect
from workflows.core.engine.program import CannotRun
from workflows.core.tools.availability import NamedTool, missing, missing_tools_reason, open_spec
from workflows.core.tools.mcp_names import expand, full_name, server_of
from workflows.core.tools.standard import STANDARD

Tools = dict[str, dict[str, Any]]


def session_tools(
    dialect: Dialect, source: Any, bound: Mapping[str, Binding | None] | None = None
) -> Tools:
    """The tools besides the standard ones that a run may call, as in `run.started`: name →
    `{"description", "parameters"}`. `bound`: the bindings of the command line; the MCP servers
    among them are started if the pack names their tools.

    A tool of another MCP server accepts any arguments. Raises CannotRun for other names that
    nothing provides, and Trouble for a server that does not list its tools.
    """
    bound = bound or {}
    named = dialect.named_tools(source) if source.readable else ()
    available: Tools = {name: _any_arguments(name) for name in bound}
    for server in dict.fromkeys(server_of(tool.name) for tool in named):
        if server:
            available |= _tools_of(server, bound, named)
    reason, remedy = missing_tools_reason(missing(named, available))
    if reason:
        raise CannotRun(f"{reason} {remedy}", code="GR115")
    wanted = set(expand((tool.name for tool in named), available))
    return {
        name: tool for name, tool in available.items() if name in wanted and name not in STANDARD
    }


def _tools_of(
    server: str, bound: Mapping[str, Binding | None], named: tuple[NamedTool, ...]
) -> Tools:
    binding = bound.get(MCP_NAME.format(server))
    if binding is None:
        own = (tool.name for tool in named if server_of(tool.name) == server)
        return {name: _any_arguments(name) for name in own}
    from workflows.runner.tools.base import ToolFailed
    from workflows.runner.tools.mcp_tool_list import list_tools

    try:
        tools = list_tools(binding.settings, {}, private_hosts())
    except ToolFailed as failed:
        raise Trouble(f"--mcp {server}: {failed}") from failed
    return {
        full_name(server, tool["tool"]): {
            "description": tool["description"],
            "parameters": tool["parameters"],
        }
        for tool in tools
    }


def _any_arguments(name: str) -> dict[str, Any]:
    return {"description": "", "parameters": dict(open_spec(name).parameters)}
