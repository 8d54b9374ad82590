"""Tools that a pack names but does not declare, compared with those that a server has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.causes import in_order
from workflows.core.pack.findings import Finding, Place
from workflows.core.tools.mcp_names import expand, server_of, whole_server
from workflows.core.tools.standard import STANDARD

NOT_AVAILABLE = "GR115"
"""The code of the finding about a tool that the server does not have."""


REPLACED = ("ST220", "SR730")
"""Codes of rules about unknown tools, which have no access to a server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTool:
    """A tool in a list of allowed tools. `state` is "" if the whole pack names it."""

    name: str
    state: str
    place: Place


def open_spec(name: str) -> ToolSpec:
    """A tool whose parameters are not known: any argument is accepted."""
    return ToolSpec(name=name, description="", parameters={"type": "object", "properties": {}})


def missing(named: Iterable[NamedTool], available: Collection[str]) -> tuple[NamedTool, ...]:
    """The named tools that are neither standard nor among `available`."""
    return tuple(tool for tool in named if not _is_known(tool.name, available))


def _is_known(name: str, available: Collection[str]) -> bool:
    if name in STANDARD or name in available:
        return True
    return bool(whole_server(name)) and expand([name], available) != (name,)


def remedy(name: str) -> str:
    """The remedy for a missing tool."""
    server = server_of(name)
    if server:
        return (
            f"Connect the MCP server {server!r} under Settings, or refresh its tools there; or "
            "remove the name."
        )
    return "Bind it under Tools, correct the name, or remove it."


def missing_message(tool: NamedTool) -> str:
    """The message about one missing tool."""
    who = f"State {tool.state!r}" if tool.state else "The pack"
    server = server_of(tool.name)
    where = f"on a connected MCP server {server!r}" if server else "here"
    return f"{who} allows {tool.name!r}, but there is no such tool {where}."


def missing_tools_reason(tools: Iterable[NamedTool]) -> tuple[str, str]:
    """The reason why a run cannot start, and the remedy; ("", "") if nothing is missing."""
    distinct = list({tool.name: tool for tool in tools}.values())
    if not distinct:
        return "", ""
    if len(distinct) == 1:
        return missing_message(distinct[0]), remedy(distinct[0].name)
    names = ", ".join(repr(tool.name) for tool in distinct)
    hints = dict.fromkeys(remedy(tool.name) for tool in distinct)
    return f"No tool here has these names, which the pack allows: {names}.", " ".join(hints)


def missing_tool_findings(tools: Iterable[NamedTool]) -> tuple[Finding, ...]:
    """One finding for each missing tool. Places have no lines yet."""
    return tuple(
        Finding(
            code=NOT_AVAILABLE,
            level="error",
            message=missing_message(tool),
            place=tool.place,
            hint=remedy(tool.name),
        )
        for tool in tools
    )


def findings_with_tools(
    findings: Iterable[Finding],
    named: Collection[NamedTool],
    available: Collection[str],
    locate: Callable[[Place], Place],
) -> tuple[Finding, ...]:
    """The findings of a pack, with those about its named tools as a server with the `available`
    ones knows them. `locate`: the place with its line."""
    found = tuple(findings)
    if not named:
        return found
    places = {(tool.place.path, tool.place.pointer) for tool in named}
    replaced = {
        key: one.fix
        for one in found
        if one.code in REPLACED and (key := (one.place.path, one.place.pointer)) in places
    }
    kept = [
        one
        for one in found
        if one.code not in REPLACED or (one.place.path, one.place.pointer) not in places
    ]
    added = [
        replace(
            one,
            place=locate(one.place),
            fix=replaced.get((one.place.path, one.place.pointer)),
        )
        for one in missing_tool_findings(missing(named, available))
    ]
    return in_order([*kept, *added])
