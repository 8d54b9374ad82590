"""Interpretation of a model's reply: own tools are executed, refused calls get an error result."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from workflows.core.dialects.promptpack.program.tools import Policy
from workflows.core.engine.effects import ToolSpec, failed_if
from workflows.core.engine.events import Draft
from workflows.core.engine.signals import Reply, ToolCall

ERROR = "Error: "
"""Prefix of the result of a refused or failed tool call."""


@dataclass(slots=True, kw_only=True)
class ParsedReply:
    """The interpretation of a reply.

    `waiting` are calls of the pack's own tools, to be made by the runner; `counted` is the number
    of calls answered here; `event` is the last valid transition; `skills` are the active skills,
    None if unchanged, and `active` those before the reply.
    """

    messages: list[dict[str, Any]] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    waiting: list[dict[str, Any]] = field(default_factory=list)
    counted: int = 0
    event: str = ""
    context: str = ""
    skills: list[str] | None = None
    active: Callable[[], list[str]] = list


OwnTool: TypeAlias = Callable[[ParsedReply, ToolCall], str]
"""Executes a tool of the workflow. The return value is the result that the model receives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableTools:
    """The tools of a model call: `tools` are visible to the model, `outside` are executed by the
    runner, `own` are executed here."""

    policy: Policy
    tools: tuple[ToolSpec, ...] = ()
    outside: frozenset[str] = frozenset()
    own: Mapping[str, OwnTool] = field(default_factory=dict)


def read_reply(
    available: AvailableTools, *, calls: int, reply: Reply, active: Callable[[], list[str]] = list
) -> ParsedReply:
    """Interpret the calls of one reply in order. `calls` is the number of earlier calls in this
    turn, `active` returns the active skills. Calls over the policy's limit, of blocked tools and of
    unknown tools are refused with an error result."""
    parsed = ParsedReply(active=active)
    turn: dict[str, Any] = {"role": "assistant", "text": reply_text(reply)}
    if reply.tool_calls:
        turn["tool_calls"] = [
            {"name": call.name, "arguments": call.arguments, "id": call.id or f"call-{number}"}
            for number, call in enumerate(reply.tool_calls, start=1)
        ]
    parsed.messages.append(turn)
    for index, call in enumerate(reply.tool_calls):
        _read_call(parsed, available, calls + index, call, turn["tool_calls"][index])
    return parsed


def reply_text(reply: Reply) -> str:
    """The text of a reply, else its structured answer as JSON."""
    if reply.text or reply.structured is None:
        return reply.text
    return json.dumps(reply.structured, ensure_ascii=False)


def _read_call(
    parsed: ParsedReply,
    available: AvailableTools,
    before: int,
    call: ToolCall,
    stored: dict[str, Any],
) -> None:
    refusal = _refusal(available.policy, before, call.name)
    if call.unread and not refusal:
        refusal = f"{ERROR}the arguments of {call.name} are no JSON object."
    if not refusal and call.name in available.outside:
        parsed.waiting.append(stored)
        return
    id = stored["id"]
    about = {"name": call.name, "arguments": call.arguments, "call_id": id}
    parsed.drafts.append(Draft(type="tool.called", fields=about))
    result = refusal or _run_own_tool(parsed, available, call)
    error = result.removeprefix(ERROR) if result.startswith(ERROR) else ""
    answer = {"name": call.name, "result": "" if error else result, "error": error}
    parsed.drafts.append(Draft(type="tool.returned", fields=answer))
    parsed.counted += 1
    turn = {"role": "tool", "text": result, "tool_call_id": id}
    parsed.messages.append(turn | failed_if(error))


def _refusal(policy: Policy, before: int, name: str) -> str:
    if before >= policy.calls:
        return f"{ERROR}only {policy.calls} tool calls are allowed in one turn."
    return f"{ERROR}Tool {name} is blocked by policy" if name in policy.blocked else ""


def _run_own_tool(parsed: ParsedReply, available: AvailableTools, call: ToolCall) -> str:
    own = available.own.get(call.name)
    return own(parsed, call) if own else f"{ERROR}unknown tool {call.name}."
