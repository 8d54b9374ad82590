"""The facts of a machine, by which two machines can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workflows.core.convert.coverage import Key
from workflows.core.convert.neutral import (
    Input,
    Machine,
    Ref,
    State,
    Text,
    Tool,
    Transition,
    whole_prompt,
)
from workflows.core.pack.forms import Json

PACK = "pack"
DEFAULTS: dict[str, Json] = {"attempts": 1, "kind": "", "waits": False}
"""The values of features that a dialect does not state."""


def facts(machine: Machine) -> dict[Key, Json]:
    """Every fact by element and feature, without defaults and empty values."""
    values: dict[Key, Json] = {}
    for key, value in _facts(machine):
        if value is not None and value != DEFAULTS.get(key[1], ...):
            values[key] = value
    return values


def _facts(machine: Machine) -> Iterator[tuple[Key, Json]]:
    yield (PACK, "id"), machine.id
    yield (PACK, "name"), machine.name or None
    yield (PACK, "description"), machine.description or None
    yield (PACK, "version"), machine.version
    yield (PACK, "entry"), machine.entry or None
    yield (PACK, "visits"), machine.limits.visits
    yield (PACK, "tool calls"), machine.limits.tool_calls
    yield (PACK, "seconds"), machine.limits.seconds
    yield (PACK, "system"), transition_text(machine.system) or None
    for name, text in machine.fragments.items():
        yield (f"fragment:{name}", "text"), transition_text(text)
    for each in machine.inputs:
        yield from _input(each)
    for slot in machine.slots:
        element = f"slot:{slot.name}"
        yield (element, "type"), None if slot.type == "text/plain" else slot.type
        yield (element, "description"), slot.description or None
        yield (element, "append"), slot.append or None
    for tool in machine.tools:
        yield from _tool(tool)
    for state in machine.states:
        yield from _state(machine, state)


def _input(each: Input) -> Iterator[tuple[Key, Json]]:
    element = f"input:{each.name}"
    yield (element, "name"), each.name
    yield (element, "type"), None if each.type == "string" else each.type
    yield (element, "required"), each.required or None
    yield (element, "default"), each.default
    yield (element, "description"), each.description or None


def _tool(tool: Tool) -> Iterator[tuple[Key, Json]]:
    element = f"tool:{tool.key}"
    yield (element, "name"), tool.name or tool.key
    yield (element, "description"), tool.description or None
    yield (element, "parameters"), tool.parameters


def _state(machine: Machine, state: State) -> Iterator[tuple[Key, Json]]:
    element = f"state:{state.id}"
    yield (element, "id"), state.id
    yield (element, "name"), state.name or None
    yield (element, "description"), state.description or None
    yield (element, "prompt"), transition_text(whole_prompt(machine, state)) or None
    yield (element, "tools"), None if state.tools is None else list(state.tools)
    yield (element, "answer"), state.answer
    for slot, path in state.writes.items():
        yield (element, f"keeps {slot}"), True
        yield (element, f"field of {slot}"), None if path == slot else path
    for slot, text in state.unset.items():
        yield (element, f"without {slot}"), text
    yield (element, "attempts"), state.attempts
    yield (element, "turns"), state.turns
    yield (element, "kind"), state.kind
    yield (element, "role"), state.role or None
    yield (element, "waits"), state.waits
    yield (element, "max visits"), state.max_visits
    yield (element, "on max visits"), state.on_max_visits
    yield (element, "end"), state.ends or None
    for transition in state.transitions:
        yield from _transition(state, transition)


def transition_key(state: str, label: str, feature: str = "target") -> Key:
    """The key of a fact about a transition."""
    return f"transition:{state}|{label}", feature


def _transition(state: State, transition: Transition) -> Iterator[tuple[Key, Json]]:
    if state.ends and not transition.targets:
        return
    led: Any = list(transition.targets)
    if transition.parallel:
        led = {"parallel": led, "join": transition.join}
    yield transition_key(state.id, transition.label), led
    yield transition_key(state.id, transition.label, "condition"), transition.when
    yield transition_key(state.id, transition.label, "otherwise"), transition.otherwise or None
    yield transition_key(state.id, transition.label, "spelling"), transition.spelling or None


def transition_text(text: Text) -> list[Json]:
    """A prompt as plain values: texts, and [kind, name] for placeholders."""
    return [[piece.kind, piece.name] if isinstance(piece, Ref) else piece for piece in text]
