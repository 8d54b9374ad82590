"""Names of tools in stages: those that stud-cli registers, those of other agents, and any others
that a server has.

Names are exact and case-sensitive. A session may have more than the registered ones (discovered
ones, and those of MCP servers). Only a server knows these, so an unknown name is a warning here and
an error where the server's tools are known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

from workflows.core.dialects.stages.source import StagesSource
from workflows.core.engine.effects import ToolSpec
from workflows.core.text.tolerant import as_list
from workflows.core.tools.availability import NamedTool, open_spec
from workflows.core.tools.call_approvals import CallApproval
from workflows.core.tools.standard import CHANGING, STANDARD
from workflows.core.tools.stud_tools import STUD_TOOLS

REGISTERED: Mapping[str, ToolSpec] = STUD_TOOLS
"""By name, in the order in which stud-cli lists them."""

MUTATING = CHANGING
"""Tools that may change state outside the conversation."""

_ALIASES = {
    "readfile": "read",
    "writefile": "write",
    "editfile": "edit",
    "listfiles": "glob",
    "list": "glob",
    "find": "glob",
    "search": "grep",
    "shell": "bash",
    "runcommand": "bash",
    "fetch": "web-fetch",
}
"""Names of these tools in other agents, without case and separators."""


def allowed_tools(source: StagesSource) -> tuple[ToolSpec, ...]:
    """All tools that the stages may call, each once. An absent `allowedTools` allows all registered
    ones. A tool whose parameters are not known here accepts any."""
    named: list[str] = []
    for file in source.stages.values():
        names = file.values.get("allowedTools")
        if not isinstance(names, list):
            named += REGISTERED
            continue
        finish = file.values.get("completionTool")
        named += [name for name in names if isinstance(name, str) and name and name != finish]
    return tuple(STANDARD.get(name) or open_spec(name) for name in dict.fromkeys(named))


def named_tools(source: StagesSource) -> tuple[NamedTool, ...]:
    """Every tool that a stage lists, with its place."""
    return tuple(
        NamedTool(name=name, state=stage, place=source.place_in(stage, "allowedTools", index))
        for stage, file in source.stages.items()
        for index, name in enumerate(as_list(file.values.get("allowedTools")))
        if isinstance(name, str) and name and name != file.values.get("completionTool")
    )


def declared_approvals(source: StagesSource) -> tuple[CallApproval, ...]:
    """Stages with a list of tools: a person approves their calls of other tools, unless the
    pipeline grants them."""
    states = tuple(
        stage for stage, file in source.stages.items() if as_list(file.values.get("allowedTools"))
    )
    reason = "may call tools outside its list only after a person approved the call"
    return (CallApproval(tool="", states=states, reason=reason),) if states else ()


def registered_name(name: str) -> str:
    """The registered tool that differs from this name only in case or separators, or ""."""
    return _BY_NORMALIZED.get(_normalize(name), "")


def suggestion(name: str) -> str:
    """The registered tool with the most similar name, or ""."""
    plain = _normalize(name)
    meant = _BY_NORMALIZED.get(plain) or _ALIASES.get(plain)
    if meant or len(plain) > 40:
        return meant or ""
    near = get_close_matches(plain, _BY_NORMALIZED, n=1, cutoff=0.8)
    return _BY_NORMALIZED[near[0]] if near else ""


def _normalize(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())


_BY_NORMALIZED = {_normalize(name): name for name in REGISTERED}
