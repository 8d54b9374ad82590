"""The tools of an agent: `runner.boundaries.allowedTools`, narrowed by each step's permissions.

Without a list, an agent has Climpt's base tools; without agent.json it has none. An entry may have
a pattern in parentheses, as in Claude Code: `Bash(git log:*)` allows commands that begin so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step, strings
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.findings import Place
from workflows.core.text.json.pointer import pointer_text
from workflows.core.text.tolerant import as_list, as_str
from workflows.core.tools.availability import NamedTool, open_spec
from workflows.core.tools.mcp_names import expand
from workflows.core.tools.standard import STANDARD

LIST = ("runner", "boundaries", "allowedTools")
EVERY = "*"
BASE_TOOLS = (
    "Bash", "Read", "Write", "Edit", "Glob", "Grep", "WebFetch", "WebSearch", "Task", "TodoWrite",
)  # fmt: skip
"""The tools of an agent without a list (Climpt, agents/common/tool-policy.ts)."""
BOUNDARY_TOOLS = frozenset(
    {
        "githubIssueClose", "githubIssueUpdate", "githubIssueComment", "githubPrClose",
        "githubPrMerge", "githubPrUpdate", "githubReleaseCreate", "githubReleasePublish",
    }
)  # fmt: skip
"""Tools of closure steps only."""
DENIED_IN_PLAN = frozenset({"Write", "Edit", "MultiEdit", "Bash", "NotebookEdit", "TodoWrite"})
"""Tools that the permission mode `plan` denies."""
SHELL = "Bash"
_ENTRY = re.compile(r"(?P<name>[^()]+)\((?P<pattern>.*)\)")
_OPERATORS = re.compile(r"[;&|`<>\n]|\$\(")
_BOUNDARY_COMMAND = re.compile(
    r"\bgh\s+(?:issue\s+(?:close|delete|transfer|reopen)|issue\s+edit\b[^\n]*--state\s+closed"
    r"|pr\s+(?:close|merge|ready)|release\s+(?:create|edit)|api)\b"
)
"""Commands that change GitHub, which Climpt blocks in every step."""


def listed(source: RegistrySource) -> list[str]:
    """The entries of the agent's list."""
    value = source.agent_value(*LIST)
    if isinstance(value, list):
        return [name for name in strings(value) if name]
    return [EVERY] if source.agent else []


def named_tools(source: RegistrySource) -> tuple[NamedTool, ...]:
    """Every tool that the agent's list names, with its place."""
    return tuple(
        NamedTool(
            name=_name(entry),
            state="",
            place=Place(
                path=source.agent_path, pointer=pointer_text((*LIST, index)), element="agent:"
            ),
        )
        for index, entry in enumerate(as_list(source.agent_value(*LIST)))
        if isinstance(entry, str) and entry and entry != EVERY
    )


def agent_tools(
    source: RegistrySource, session: Mapping[str, ToolSpec] | None = None
) -> dict[str, ToolSpec]:
    """The agent's tools by name. `session`: other tools that this server has; None if they are not
    known, so that unknown names accept any arguments."""
    specs = {**STANDARD, **(session or {})}
    names: list[str] = []
    for entry in listed(source):
        names += [*BASE_TOOLS, *(session or {})] if entry == EVERY else [_name(entry)]
    expanded = expand(names, session or {})
    tools = {name: specs.get(name) or open_spec(name) for name in expanded}
    return tools if session is None else {name: tools[name] for name in tools if name in specs}


def step_tools(tools: Mapping[str, ToolSpec], step: Step, permission: str) -> tuple[ToolSpec, ...]:
    """The agent's tools that this step may call."""
    denied = DENIED_IN_PLAN if permission == "plan" else frozenset[str]()
    boundary = frozenset[str]() if step.kind == "closure" else BOUNDARY_TOOLS
    return tuple(tool for tool in tools.values() if tool.name not in denied | boundary)


def command_refusal(source: RegistrySource, command: Any) -> str:
    """The reason why the agent may not run this shell command; "" if it may."""
    text = as_str(command)
    boundary = _BOUNDARY_COMMAND.search(text)
    if boundary:
        return f"`{boundary[0]}` changes GitHub, which no step of this agent may do in a shell."
    patterns = _shell_patterns(source)
    if patterns is None or any(_begins(text, pattern) for pattern in patterns):
        return ""
    allowed = ", ".join(f"`{SHELL}({pattern})`" for pattern in patterns)
    return f"This agent may only run {allowed}, and no others combined with them."


def _shell_patterns(source: RegistrySource) -> list[str] | None:
    """The patterns of commands; None if every command is allowed."""
    patterns: list[str] = []
    for entry in listed(source):
        match = _ENTRY.fullmatch(entry)
        if entry in (SHELL, EVERY):
            return None
        if match and match["name"] == SHELL:
            patterns.append(match["pattern"])
    return patterns


def _begins(command: str, pattern: str) -> bool:
    if pattern in ("*", ":*"):
        return True
    begin = pattern.removesuffix(":*").removesuffix(" *")
    if begin == pattern:
        return command.strip() == pattern
    rest = command.strip().removeprefix(begin)
    same = command.strip().startswith(begin) and (not rest or rest[0].isspace())
    return same and not _OPERATORS.search(command)


def _name(entry: str) -> str:
    match = _ENTRY.fullmatch(entry)
    return match["name"] if match else entry
