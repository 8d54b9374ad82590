"""The tools that this server has, compared with those that a pack names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from workflows.core.engine.effects import ToolSpec
from workflows.core.tools.availability import open_spec
from workflows.core.tools.mcp_names import expand
from workflows.core.tools.standard import STANDARD
from workflows.models import Pack, ToolBinding
from workflows.opened_packs.known_tools import check_available, findings_json, findings_with_tools
from workflows.opened_packs.view import Opened, View
from workflows.selectors.mcp_servers import server_tools
from workflows.selectors.sources import opened, view

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


def findings(
    pack: Pack, pack_view: View | None = None, *, most: int | None = None
) -> list[dict[str, Any]]:
    """The findings of a pack's newest revision, or of another view of it; see `findings_json`."""
    shown = findings_with_tools(pack_view or view(pack), partial(known_tools, pack))
    return findings_json(shown, most=most)


def declared_parameters(here: Opened, profile: str, tool: str) -> Mapping[str, Any] | None:
    """The parameters of a tool that the pack itself declares; None for other tools."""
    drawn = here.under(profile).drawn
    named = {one.name for one in drawn.named_tools}
    spec = next((one for one in drawn.tools if one.name == tool), None)
    return None if spec is None or tool in named else spec.parameters
