"""The tools that this server has, compared with those that a pack names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.findings import Finding
from workflows.core.tools.availability import (
    NamedTool,
    missing,
    missing_tools_reason,
    open_spec,
)
from workflows.core.tools.availability import findings_with_tools as with_tools
from workflows.core.tools.mcp_names import expand
from workflows.core.tools.standard import STANDARD
from workflows.errors import CannotStart
from workflows.models import Pack, ToolBinding
from workflows.selectors.mcp_servers import server_tools
from workflows.selectors.sources import Opened, View, opened, view

PER_RULE = 50
"""Findings of one rule that a page gets with a graph or an edit."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def known_tools(pack: Pack) -> dict[str, ToolSpec]:
    """The tools of this server by name that a pack may name, besides the standard ones: those of
    MCP servers, and those that the pack has bound."""
    tools = server_tools()
    for row in ToolBinding.objects.filter(pack=pack).order_by("tool"):
        if row.tool not in tools and row.tool not in STANDARD:
            tools[row.tool] = bound_spec(row.tool, row.kind, row.settings)
    return tools


def bound_spec(name: str, kind: str, settings: Mapping[str, Any]) -> ToolSpec:
    """A tool that only its binding describes. The placeholders of a command are its arguments."""
    command = settings.get("command") if kind == "command" else None
    names = _PLACEHOLDER.findall(" ".join(map(str, command))) if command else []
    if not names:
        return open_spec(name)
    properties = {argument: {"type": ["string", "number"]} for argument in dict.fromkeys(names)}
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec(name=name, description="", parameters=parameters)


def session_tools(
    pack: Pack, number: int | None, overrides: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """The tools besides the standard ones that a run of this revision may call: name →
    `{"description", "parameters"}`. `overrides`: the run's own `tools`. Raises CannotStart if the
    pack names a tool that nothing here has."""
    named = opened(pack, number).drawn.named_tools
    available = known_tools(pack) if named else {}
    for name, override in overrides.items():
        if override is not None and name not in STANDARD:
            settings = override.get("settings") or {}
            available[name] = available.get(name) or bound_spec(name, override["kind"], settings)
        available.setdefault(name, open_spec(name))
    check_available(named, available)
    wanted = set(expand((tool.name for tool in named), available))
    return {
        name: {"description": tool.description, "parameters": dict(tool.parameters)}
        for name, tool in available.items()
        if name in wanted and name not in STANDARD
    }


def check_available(named: Collection[NamedTool], available: Collection[str]) -> None:
    """Raise CannotStart if a named tool is neither standard nor known."""
    reason, remedy = missing_tools_reason(missing(named, available))
    if reason:
        raise CannotStart(reason, hint=remedy)


def findings_with_tools(pack: Pack, pack_view: View) -> tuple[Finding, ...]:
    """The findings of a view of this pack, with those about tools as this server knows them."""
    named = pack_view.drawn.named_tools
    if not named:
        return pack_view.findings
    return with_tools(pack_view.findings, named, known_tools(pack), lambda place: place)


def findings_json(
    pack: Pack, pack_view: View | None = None, *, most: int | None = None
) -> list[dict[str, Any]]:
    """The findings of a pack's newest revision, or of another view of it.

    With `most`, at most that number of findings per rule; the last one has `more`, the number of
    those left out.
    """
    findings = findings_with_tools(pack, pack_view or view(pack))
    if most is None:
        return [finding.to_json() for finding in findings]
    totals = Counter(finding.code for finding in findings)
    counts: Counter[str] = Counter()
    shown = []
    for finding in findings:
        counts[finding.code] += 1
        if counts[finding.code] > most:
            continue
        left_out = totals[finding.code] - most if counts[finding.code] == most else 0
        shown.append(finding.to_json() | ({"more": left_out} if left_out > 0 else {}))
    return shown


def with_tool_names(schema: Any, pack: Pack) -> Any:
    """A form's schema with the names of this server's tools in every field for tools."""
    return _completed(schema, list(known_tools(pack))) if _has_tools(schema) else schema


def _has_tools(schema: Any) -> bool:
    match schema:
        case dict():
            return schema.get("x-tools") is True or any(map(_has_tools, schema.values()))
        case list():
            return any(map(_has_tools, schema))
        case _:
            return False


def _completed(schema: Any, names: list[str]) -> Any:
    match schema:
        case dict():
            whole = {key: _completed(value, names) for key, value in schema.items()}
            if whole.get("x-tools") is True:
                whole["x-choices"] = list(dict.fromkeys([*whole.get("x-choices", ()), *names]))
            return whole
        case list():
            return [_completed(item, names) for item in schema]
        case _:
            return schema


def declared_parameters(here: Opened, profile: str, tool: str) -> Mapping[str, Any] | None:
    """The parameters of a tool that the pack itself declares; None for other tools."""
    drawn = here.under(profile).drawn
    named = {one.name for one in drawn.named_tools}
    spec = next((one for one in drawn.tools if one.name == tool), None)
    return None if spec is None or tool in named else spec.parameters
