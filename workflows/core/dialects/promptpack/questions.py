"""What a run asks a person: to lead on, to answer, or to say what a composition came to."""

from __future__ import annotations

from workflows.core.dialects.promptpack.machine import Spec
from workflows.core.dialects.promptpack.tools import choices
from workflows.core.engine.effects import AskHuman
from workflows.core.engine.run import Position


def which_event(spec: Spec, position: Position, key: str) -> AskHuman:
    """A state that waits for the outside, or whose composition is not carried out here."""
    if spec.orchestration == "composition":
        question = f"{_not_carried_out(spec)} Which event follows from it?"
    else:
        what = f" {spec.description}" if spec.description else ""
        question = f"“{spec.name}” waits for an event from outside.{what} Which one happened?"
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="event",
        question=question,
        choices=choices(spec),
    )


def what_came_of_it(spec: Spec, position: Position, key: str) -> AskHuman:
    """The result of a composition that would have ended the run."""
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="answer",
        question=f"{_not_carried_out(spec)} Give its result to complete the run.",
    )


def what_next(spec: Spec, position: Position, key: str) -> AskHuman:
    """The turn is a person's: they answer what was said, or pick the event that leads on."""
    return AskHuman(
        key=key,
        position=position.id,
        state=spec.name,
        kind="answer",
        question=position.memory["ask"],
        choices=choices(spec),
    )


def _not_carried_out(spec: Spec) -> str:
    return f"The composition “{spec.composition}” is not carried out here."
