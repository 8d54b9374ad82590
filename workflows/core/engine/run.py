"""A run: the fold over its events. Positions, visits, budgets spent, artifacts, what is pending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from workflows.core.engine.answer_history import AnswerHistory

Status: TypeAlias = Literal[
    "new", "running", "paused", "waiting", "completed", "failed", "budget_exhausted", "cancelled"
]
FINISHED = ("completed", "failed", "budget_exhausted", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """One place where the run is. Several at once after a fork.

    `id` is unique in the run ("0" for the first, "0.1", "0.2"… for its branches), `visit` counts
    entries of this state, `memory` is what the program noted for this stay (cleared when another
    state is entered unless the event that enters says otherwise).
    """

    id: str
    state: str
    visit: int = 1
    memory: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RunState:
    """Everything a program may look at. Built by `fold` alone, never by hand."""

    id: str = ""
    """What the outside knows the run by, "" where nobody said: the same after every restart."""
    n: int = 0
    status: Status = "new"
    reason: str = ""
    started_at: float = 0.0
    now: float = 0.0
    """Time of the newest signal."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    positions: tuple[Position, ...] = ()
    visits: Mapping[str, int] = field(default_factory=dict)
    taken: Mapping[str, int] = field(default_factory=dict)
    """How often each transition id was taken."""
    transitions: int = 0
    tool_calls: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    artifacts: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default_factory=dict)
    """What the program noted for the whole run."""
    asked: int = 0
    """How many effects were asked for: numbers their keys, `<position>:<count>`."""
    pending: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Effects asked for and not answered: key → effect as JSON. One per position at most."""
    left_to_people: tuple[str, ...] = ()
    """Keys that a `run.waiting` named, among them effects that are no questions by themselves: a
    command that may not run here, a model call that somebody answers by hand."""
    unanswered: tuple[str, ...] = ()
    """Keys that a `run.paused` named since nobody could answer them: nobody is asked before the run
    is resumed."""
    answered: Mapping[str, AnswerHistory] = field(default_factory=dict)
    """Type of answering event → the states it came for, in order: where a script has got to."""
    held: tuple[str, ...] = ()
    """Positions that would ask now but may not, because the run is paused."""
    kept: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What a held position is going to ask, where an answer already settled that."""
    branches: Mapping[str, int] = field(default_factory=dict)
    """How many branches each position ever forked: numbers the ids of new ones."""
    breakpoints: tuple[str, ...] = ()
    """Ids of states and arrows at which the run pauses by itself."""
    until: str = ""
    """One more of them, good for one time."""
    stepping: bool = False
    """One asking was let through since the last pause, and no other may be."""

    @property
    def finished(self) -> bool:
        return self.status in FINISHED

    def forked(self, id: str) -> bool:
        """Whether this position waits for branches of its own."""
        return any(position.id.startswith(f"{id}.") for position in self.positions)

    def position(self, id: str) -> Position:
        """Raises KeyError where the run is not there (any more)."""
        for position in self.positions:
            if position.id == id:
                return position
        raise KeyError(id)
