"""Questions of a run to a person: an event, an answer, or the input of a composition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.program.state_machine import Spec
from workflows.core.dialects.promptpack.program.tools import choices
from workflows.core.engine.effects import AskHuman, Choice
from workflows.core.engine.run import Position

END_CHAT = "End the chat"
END_CHOICE = Choice(label=END_CHAT, transition="", reply={"event": END_CHAT})
MAX_SHOWN = 2_000
"""Maximum number of characters of an output in a question."""


def ask_event(spec: Spec, position: Position, key: str) -> AskHuman:
    """Ask which event happened in a waiting state. The last reply of the model comes before the
    question."""
    what = f" {spec.description}" if spec.description else ""
    waits = f"“{spec.name}” waits for an event from outside.{what} Which one happened?"
    reply = position.memory.get("ask")
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="event",
        question=f"{reply}\n\n{waits}" if reply else waits,
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
    """Ask for the input of a composition."""
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="answer",
        question=f"What is the input of the composition “{spec.composition}”?",
        schema=schema,
        choices=choices,
    )


def ask_following_event(spec: Spec, position: Position, key: str, output: str) -> AskHuman:
    """Ask which event follows a composition whose output names none."""
    shown = output if len(output) <= MAX_SHOWN else f"{output[:MAX_SHOWN]}…"
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="event",
        question=f"The output of the composition “{spec.composition}”:\n\n{shown}\n\n"
        "Which event follows?",
        choices=choices(spec),
    )


def ask_person(spec: Spec, position: Position, key: str, *more: Choice) -> AskHuman:
    """Ask for an answer to the last reply, for the next event, or for one of `more` choices."""
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="answer",
        question=position.memory["ask"],
        choices=(*choices(spec), *more),
    )
