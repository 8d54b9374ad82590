"""A conversation with tools, in the memory of a visit. States and agent steps share it.

The memory has `messages`, `rounds` and `calls` (used in this turn) and `waiting` (tool calls that
are not made yet).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workflows.core.dialects.promptpack.program.replies import ERROR, ParsedReply
from workflows.core.engine.effects import CallTool, failed_if
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position
from workflows.core.engine.signals import ToolDone


def remember(**memory: Any) -> Draft:
    """The event that updates the memory of a visit."""
    return Draft(type="promptpack.turn", fields={"memory": memory})


def after_reply(
    position: Position, before: Iterable[Mapping[str, Any]], parsed: ParsedReply
) -> dict[str, Any]:
    """The memory after a reply: its messages are added, its tool calls are done or waiting.
    `before`: the stored turns so far."""
    return {
        "messages": [*before, *parsed.messages],
        "rounds": position.memory.get("rounds", 0) + 1,
        "calls": position.memory.get("calls", 0) + parsed.counted + len(parsed.waiting),
        "waiting": list(parsed.waiting),
    }


def next_call(position: Position, key: str) -> CallTool | None:
    """The next tool call to make before the next model call."""
    waiting = position.memory.get("waiting")
    if not waiting:
        return None
    return CallTool(
        key=key,
        position=position.id,
        state=position.state,
        name=waiting[0]["name"],
        arguments=waiting[0]["arguments"],
    )


def after_call(position: Position, done: ToolDone) -> dict[str, Any]:
    """The memory after a tool call. The model receives the result in its next round."""
    return after_result(position, done.result, done.error)


def after_result(position: Position, result: str, error: str) -> dict[str, Any]:
    """The memory after the first waiting call, with its result or its error."""
    first, *rest = position.memory.get("waiting") or [{}]
    text = f"{ERROR}{error}" if error else result
    turn = {"role": "tool", "text": text, "tool_call_id": first.get("id", "")} | failed_if(error)
    return {"messages": [*position.memory.get("messages", []), turn], "waiting": rest}
