"""Tool calls of a step: between its question and its answer, the model may call the agent's tools.

Climpt leaves this to the Claude Agent SDK; all calls belong to one iteration. The position's memory
has `talk` (the turns since the question), `calls` (not made yet) and `rounds` (replies with calls)
while its stage is `tools`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.dialects.steps_registry.format.tools import SHELL, command_refusal
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import (
    CONTINUATION,
    AskModel,
    CallTool,
    Message,
    ToolSpec,
    failed_if,
)
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.run import Position
from workflows.core.engine.signals import Reply, ToolDone

STAGE = "tools"
MAX_ROUNDS = 200
"""Maximum number of replies with calls in one iteration. The next one counts as the answer."""


def calls_tools(position: Position, effect: AskModel, reply: Reply) -> bool:
    """Return True if the reply calls tools instead of answering."""
    rounds = _memory(position).get("rounds", 0)
    open_calls = bool(reply.tool_calls) and reply.structured is None and not reply.error
    return open_calls and bool(effect.tools) and rounds < MAX_ROUNDS


def begin_calls(position: Position, reply: Reply) -> Outcome:
    """Remember the reply and its calls."""
    before = _memory(position)
    round_number = before.get("rounds", 0) + 1
    calls = [
        {
            "id": call.id or f"call-{round_number}-{number}",
            "name": call.name,
            "arguments": dict(call.arguments),
            **({"unread": call.unread} if call.unread else {}),
        }
        for number, call in enumerate(reply.tool_calls, start=1)
    ]
    turn = {"role": "assistant", "text": reply.text, "tool_calls": calls}
    memory = {
        "stage": STAGE,
        "rounds": round_number,
        "calls": calls,
        "talk": [*before.get("talk", ()), turn],
    }
    fields = {"calls": [call["name"] for call in calls], "memory": memory}
    return Outcome(drafts=(Draft(type="steps_registry.tools", fields=fields),), next=Again())


def next_call(
    source: RegistrySource, position: Position, offered: Mapping[str, ToolSpec], key: str
) -> Outcome | None:
    """Make the first call, or refuse it without asking anyone. None: all calls are made."""
    calls = position.memory.get("calls") or ()
    if not calls:
        return None
    call = calls[0]
    refusal = _refusal(source, call, offered)
    if refusal:
        return Outcome(drafts=(_returned(position, refusal, "refused"),), next=Again())
    effect = CallTool(
        key=key,
        position=position.id,
        state=position.state,
        name=call["name"],
        arguments=call["arguments"],
    )
    return Outcome(next=Ask(effect=effect))


def handle_result(position: Position, done: ToolDone) -> Outcome:
    """Remember the result of the first call. A failed tool does not fail the step."""
    text = f"Error: {done.error}" if done.error else done.result
    how = "failed" if done.error else "returned"
    return Outcome(drafts=(_returned(position, text, how),), next=Again())


def ask_again(position: Position, question: AskModel) -> AskModel:
    """The question with the turns since its request. Its prompt is not logged again."""
    turns = tuple(
        Message(**{**turn, "tool_calls": tuple(turn.get("tool_calls", ()))})
        for turn in position.memory.get("talk", ())
    )
    return replace(question, messages=(*question.messages, *turns), prompt=CONTINUATION)


def _refusal(
    source: RegistrySource, call: Mapping[str, Any], offered: Mapping[str, ToolSpec]
) -> str:
    name = call["name"]
    if name not in offered:
        return f"Error: this step may not call `{name}`. Its tools: {', '.join(offered)}."
    if call.get("unread"):
        return f"Error: the arguments of `{name}` are no JSON object."
    why = command_refusal(source, call["arguments"].get("command")) if name == SHELL else ""
    return f"Error: {why}" if why else ""


def _returned(position: Position, text: str, how: str) -> Draft:
    first, *rest = position.memory["calls"]
    failed = how != "returned"
    turn = {"role": "tool", "text": text, "tool_call_id": first["id"]} | failed_if(failed)
    memory = {"calls": rest, "talk": [*position.memory.get("talk", ()), turn]}
    return Draft(
        type="steps_registry.tool", fields={"name": first["name"], "as": how, "memory": memory}
    )


def _memory(position: Position) -> Mapping[str, Any]:
    """The memory of this iteration's calls."""
    return position.memory if position.memory.get("stage") == STAGE else {}
