"""A conversation with tools, as a stay remembers it: the same in a state and in an agent step.

The memory has `messages`, `rounds` and `calls` (spent in this turn) and `waiting` (tool calls not
made yet).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.dialects.promptpack.program.prompts import stored_turn
from workflows.core.dialects.promptpack.program.replies import ERROR, ParsedReply
from workflows.core.engine.effects import CallTool, Message
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position
from workflows.core.engine.signals import ToolDone


def remember(**memory: Any) -> Draft:
    """What a stay has to remember between two askings."""
    return Draft(type="promptpack.turn", fields={"memory": memory})


def after_reply(
    position: Position, before: Iterable[Message], parsed: ParsedReply
) -> dict[str, Any]:
    """The memory after a reply: it is said, its calls are made or wait to be made."""
    return {
        "messages": [*(stored_turn(turn) for turn in before), *parsed.messages],
        "rounds": position.memory.get("rounds", 0) + 1,
        "calls": position.memory.get("calls", 0) + parsed.counted + len(parsed.waiting),
        "waiting": list(parsed.waiting),
    }


def next_call(position: Position, key: str) -> CallTool | None:
    """The next tool call that has to be made before the model is asked again."""
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
    """The memory after a tool call: the model hears of it in its next round."""
    first, *rest = position.memory.get("waiting") or [{}]
    result = f"{ERROR}{done.error}" if done.error else done.result
    turn = {"role": "tool", "text": result, "tool_call_id": first.get("id", "")}
    return {"messages": [*position.memory.get("messages", []), turn], "waiting": rest}
