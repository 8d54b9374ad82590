"""Reading a model's reply: which calls are ours to carry out, and what the model hears of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from workflows.core.dialects.promptpack.program.tools import Policy
from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.events import Draft
from workflows.core.engine.signals import Reply, ToolCall

ERROR = "Error: "
"""What a tool result begins with where the call was refused or failed."""


@dataclass(slots=True, kw_only=True)
class ParsedReply:
    """What a reply comes to. `waiting` are calls of the pack's own tools, to be made outside;
    `counted` are the calls answered on the spot; `event` is the last valid wish to move on;
    `skills` are those taken up now, None while nothing changed about them."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    waiting: list[dict[str, Any]] = field(default_factory=list)
    counted: int = 0
    event: str = ""
    context: str = ""
    skills: list[str] | None = None


OwnTool: TypeAlias = Callable[[ParsedReply, ToolCall], str]
"""Carries out a call that needs nobody else. What it returns is what the model hears of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableTools:
    """What lies within a model's reach: `tools` are all it sees, `outside` those that somebody else
    carries out, `own` those that we do."""

    policy: Policy
    tools: tuple[ToolSpec, ...] = ()
    outside: frozenset[str] = frozenset()
    own: Mapping[str, OwnTool] = field(default_factory=dict)


def read_reply(available: AvailableTools, *, calls: int, reply: Reply) -> ParsedReply:
    """Take the calls of one reply in order. `calls` were made in this turn before; those over the
    policy's number are refused, like blocked and unknown tools, and the model is told so."""
    parsed = ParsedReply()
    turn: dict[str, Any] = {"role": "assistant", "text": reply_text(reply)}
    if reply.tool_calls:
        turn["tool_calls"] = [
            {"name": call.name, "arguments": dict(call.arguments), "id": _id(call, index)}
            for index, call in enumerate(reply.tool_calls)
        ]
    parsed.messages.append(turn)
    for index, call in enumerate(reply.tool_calls):
        _read_call(parsed, available, calls + index, call, _id(call, index))
    return parsed


def reply_text(reply: Reply) -> str:
    """The words of a reply: its text, else its structured answer as JSON."""
    if reply.text or reply.structured is None:
        return reply.text
    return json.dumps(reply.structured, ensure_ascii=False)


def _id(call: ToolCall, index: int) -> str:
    return call.id or f"call-{index + 1}"


def _read_call(
    parsed: ParsedReply, available: AvailableTools, before: int, call: ToolCall, id: str
) -> None:
    refusal = _refusal(available.policy, before, call.name)
    if not refusal and call.name in available.outside:
        waiting = {"name": call.name, "arguments": dict(call.arguments), "id": id}
        parsed.waiting.append(waiting)
        return
    about = {"name": call.name, "arguments": dict(call.arguments), "call_id": id}
    parsed.drafts.append(Draft(type="tool.called", fields=about))
    result = refusal or _run_own_tool(parsed, available, call)
    error = result.removeprefix(ERROR) if result.startswith(ERROR) else ""
    answer = {"name": call.name, "result": "" if error else result, "error": error}
    parsed.drafts.append(Draft(type="tool.returned", fields=answer))
    parsed.counted += 1
    parsed.messages.append({"role": "tool", "text": result, "tool_call_id": id})


def _refusal(policy: Policy, before: int, name: str) -> str:
    if before >= policy.calls:
        return f"{ERROR}only {policy.calls} tool calls are allowed in one turn."
    return f"{ERROR}Tool {name} is blocked by policy" if name in policy.blocked else ""


def _run_own_tool(parsed: ParsedReply, available: AvailableTools, call: ToolCall) -> str:
    own = available.own.get(call.name)
    return own(parsed, call) if own else f"{ERROR}there is no tool {call.name} here."
