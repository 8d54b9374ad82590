"""Simulated answers of models, tools, commands and people: from a seed, and valid for the
schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from workflows.core.engine.effects import (
    AskHuman,
    AskModel,
    CallTool,
    Choice,
    Effect,
    RunCommand,
    Wait,
)
from workflows.core.engine.rehearsal.answer_gaps import gap
from workflows.core.engine.rehearsal.explorer import Explorer
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_values import ABSENT, value_for
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    CommandDone,
    Reply,
    Signal,
    TimeUp,
    ToolCall,
    ToolDone,
)
from workflows.core.pack.graph import Graph


def choose(effect: Effect, run: RunState, graph: Graph, rng: Rng) -> Choice | None:
    """The effect's choice for this run: first a transition that was never taken, else one that
    leads to such a transition; if all were taken, one that leads to an end."""
    return Explorer(graph).best(choices_of(effect), taken=run.taken, visits=run.visits, rng=rng)


def choices_of(effect: Effect) -> tuple[Choice, ...]:
    """The continuations that an answer to this effect may choose."""
    match effect:
        case AskModel() | AskHuman() | CallTool():
            return effect.choices
        case RunCommand() | Wait():
            return ()
        case _:
            assert_never(effect)


def reply_for(effect: AskModel, choice: Choice | None, seed: object, at: float) -> Reply:
    """A model's answer that makes this choice; the rest of it is generated from the schema."""
    return _reply(effect, choice, numbers_for(effect, seed), at)


def _reply(effect: AskModel, choice: Choice | None, rng: Rng, at: float) -> Reply:
    reply: Mapping[str, Any] = choice.reply if choice else {}
    calls = tuple(_call(effect, call, rng, number) for number, call in _numbered(reply))
    text = str(reply.get("text", ""))
    structured = None
    if effect.schema is not None and not calls:
        structured = value_for(effect.schema, rng, fixed=_sayable(effect.schema, reply))
    elif "structured" in reply:
        structured = reply["structured"]
    if not text and structured is None and not calls:
        text = f"Rehearsed answer in {effect.state}."
    return Reply(at=at, key=effect.key, text=text, structured=structured, tool_calls=calls)


def _sayable(schema: Mapping[str, Any], reply: Mapping[str, Any]) -> Any:
    """The decided part of a structured answer; ABSENT if no answer of the schema has it."""
    decided = reply.get("structured", ABSENT)
    return decided if decided is ABSENT or gap(schema, decided) is None else ABSENT


def answer_for(
    effect: Effect, choice: Choice | None, *, seed: object, at: float, good: bool
) -> Signal:
    """An answer to any effect. `good`: commands succeed and people approve."""
    return answer_with(effect, choice, numbers_for(effect, seed), at=at, good=good)


def numbers_for(effect: Effect, seed: object) -> Rng:
    """The random numbers of the answer to this effect."""
    return Rng(seed, effect.key, *(("reply",) if isinstance(effect, AskModel) else ()))


def answer_with(
    effect: Effect, choice: Choice | None, rng: Rng, *, at: float, good: bool
) -> Signal:
    """`answer_for` with the numbers of `numbers_for`. An answer that uses none is the same for
    every seed."""
    match effect:
        case AskModel():
            return _reply(effect, choice, rng, at)
        case CallTool():
            default = f"Rehearsed result of {effect.name}."
            result = str(choice.reply.get("result", default)) if choice else default
            return ToolDone(at=at, key=effect.key, result=result)
        case RunCommand():
            stderr = "" if good else "Rehearsed failure."
            return CommandDone(at=at, key=effect.key, exit=0 if good else 1, stderr=stderr)
        case AskHuman():
            return _person(effect, choice, rng, at, good)
        case Wait():
            return TimeUp(at=at, key=effect.key)
        case _:
            assert_never(effect)


def _person(effect: AskHuman, choice: Choice | None, rng: Rng, at: float, good: bool) -> Approve:
    reply: Mapping[str, Any] = choice.reply if choice else {}
    decided = reply.get("structured", ABSENT)
    structured = None if decided is ABSENT else decided
    if effect.schema is not None:
        structured = value_for(effect.schema, rng, fixed=decided)
    text = str(reply.get("text", "" if structured is not None else "Rehearsed answer."))
    return Approve(
        at=at,
        key=effect.key,
        approve=bool(reply.get("approve", good)),
        event=str(reply.get("event", choice.label if choice else "")),
        text=text,
        structured=structured,
    )


def _numbered(reply: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    return [(number, call) for number, call in enumerate(reply.get("tool_calls") or (), start=1)]


def _call(effect: AskModel, call: Mapping[str, Any], rng: Rng, number: int) -> ToolCall:
    """A tool call, completed with the arguments that its tool requires."""
    name = str(call.get("name", ""))
    decided = dict(call.get("arguments") or {})
    tool = next((tool for tool in effect.tools if tool.name == name), None)
    id = str(call.get("id") or f"call-{number}")
    if tool is None:
        return ToolCall(name=name, arguments=decided, id=id)
    fixed = decided if gap(tool.parameters, decided) is None else ABSENT
    arguments = value_for(tool.parameters, rng, fixed=fixed)
    return ToolCall(name=name, arguments=arguments, id=id)
