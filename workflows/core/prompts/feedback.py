"""The reason of a failed gate, on its way to the next state that asks a model.

It is kept in the memory of a position: first in the gate's visit, then in the memory of each state
that the position enters, until a prompt there includes it. A state that repeats its question in the
same visit includes it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from workflows.core.engine.program import Fork, Outcome, Take
from workflows.core.engine.run import Position

KEY = "role.feedback"
"""Key of a position's memory."""
NO_REASON = "The gate gave no reason."


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """`gate`: the state of the gate. `arrived`: a transition was taken since the verdict. `sent`: a
    prompt of this visit includes the reason."""

    gate: str
    reason: str
    arrived: bool = False
    sent: bool = False

    def memory(self) -> dict[str, Any]:
        """The memory of a position with this feedback."""
        return {KEY: asdict(self)}


def feedback_of(memory: Mapping[str, Any]) -> Feedback | None:
    """The feedback in a position's memory."""
    kept = memory.get(KEY)
    return Feedback(**kept) if kept else None


def feedback_for(position: Position) -> Feedback | None:
    """The feedback that a prompt at this position has to include."""
    feedback = feedback_of(position.memory)
    return feedback if feedback and feedback.arrived else None


def carry(feedback: Feedback | None, outcome: Outcome) -> Outcome:
    """The outcome with the feedback in the memory of the visits that it begins, unless a prompt of
    this visit included it."""
    if feedback is None or feedback.sent:
        return outcome
    memory = tuple(replace(feedback, arrived=True).memory().items())
    match outcome.next:
        case Take() as take:
            return replace(outcome, next=_with(take, memory))
        case Fork(takes=takes) as fork:
            return replace(
                outcome, next=replace(fork, takes=tuple(_with(take, memory) for take in takes))
            )
        case _:
            return outcome


def _with(take: Take, memory: tuple[tuple[str, Any], ...]) -> Take:
    return replace(take, memory=(*take.memory, *memory))
