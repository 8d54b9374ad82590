"""What a run asks a person: to lead on, to answer, or to give what a composition works on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.program.state_machine import Spec
from workflows.core.dialects.promptpack.program.tools import choices
from workflows.core.engine.effects import AskHuman, Choice
from workflows.core.engine.run import Position

MAX_SHOWN = 2_000
"""More characters than this of a result are not put into a question."""


def ask_event(spec: Spec, position: Position, key: str) -> AskHuman:
    """A state that waits for the outside. What was said there stands before the question."""
    what = f" {spec.description}" if spec.description else ""
    waits = f"“{spec.name}” waits for an event from outside.{what} Which one happened?"
    said = position.memory.get("ask")
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="event",
        question=f"{said}\n\n{waits}" if said else waits,
        choices=choices(spec),
    )


def ask_input(
    spec: Spec,
    position: Position,
    key: str,
    *,
    schema: Mapping[str, Any] | None,
    choices: tuple[Choice, ...],
) -> AskHuman:
    """A composition that nobody has given anything to work on."""
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="answer",
        question=f"What shall the composition “{spec.composition}” work on?",
        schema=schema,
        choices=choices,
    )


def ask_following_event(spec: Spec, position: Position, key: str, output: str) -> AskHuman:
    """A composition is done, and its output names no event."""
    shown = output if len(output) <= MAX_SHOWN else f"{output[:MAX_SHOWN]}…"
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="event",
        question=f"The composition “{spec.composition}” came to:\n\n{shown}\n\n"
        "Which event follows from it?",
        choices=choices(spec),
    )


def ask_person(spec: Spec, position: Position, key: str) -> AskHuman:
    """The turn is a person's: they answer what was said, or pick the event that leads on."""
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="answer",
        question=position.memory["ask"],
        choices=choices(spec),
    )
