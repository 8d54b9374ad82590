"""What a dialect answers to the engine: what should happen here, and what an answer means.

The engine owns numbering, keys, positions, pause and step, budgets, cancel, fork and join. A
program is pure and keeps nothing: what it must remember goes into `memory` of an event it drafts
(`fields["memory"]` is merged into the position's memory, `fields["run_memory"]` into the run's).

Drafts may leave out `position` and `state`: the engine fills them in. It stamps key and position on
every effect, those that `answer` and `fire` ask for included. A program may have an attribute
`terminals` (a set of state ids); the engine then marks `state.entered` with `terminal`.

What else a program may have, and who looks at it: `needs`, names of inputs that a run has to bring
along, and `made_up`, texts to rehearse with in their place (rehearse.py); `requires`, what the
model has to be able to do (capabilities.py); `cancelled(run)`, the drafts to write when somebody
cancels the run, and `told(run, signal) -> Heard | None`, what a `Tell` changes, None where nobody
can be spoken to there (both transition.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from workflows.core.engine.effects import Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position, Run
from workflows.core.engine.signals import Signal


class CannotRun(Exception):
    """The pack cannot start: the sentence says why, `code` is a finding's or upstream's."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of a whole run; None is no limit. The smaller of pack's and starter's holds."""

    total_visits: int | None = None
    tool_calls: int | None = None
    wall_seconds: float | None = None
    model_calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Have this done and come back with the answer."""

    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Follow an arrow. `memory` is what the new stay starts with. `sources`: the arrow begins there
    and not here; where branches meet, one arrow comes from each of them and the target is entered
    once. `enters` is looked at beside a position only (`Outcome.beside`): False where the arrow is
    taken and nobody enters, because who is at the target already sees to it."""

    target: str
    label: str
    redirected: bool = False
    original_target: str = ""
    memory: tuple[tuple[str, Any], ...] = ()
    sources: tuple[str, ...] = ()
    enters: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Enter:
    """Begin at a state that no arrow leads to from here. `memory` is what the stay starts with."""

    state: str
    memory: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Ask the program once more at the same position (after the drafts are folded in)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """Go on at several states at once. This position waits until all of them have joined."""

    takes: tuple[Take, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """This branch is done; its forking position goes on (Again) when the last one is.

    `cancel_others` ends the branches beside it too, with branches of their own: what they have
    asked is dropped and late answers change nothing, so the forking position goes on at once. The
    drafts may say what became of them (`fields["position"]` names another position).
    """

    cancel_others: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The run is over."""

    status: Literal["completed", "failed", "budget_exhausted", "cancelled"]
    reason: str = ""


Next: TypeAlias = Ask | Take | Again | Fork | Join | End


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What happened (drafts, in order), who begins beside this position, and what is next here.

    `beside` are branches of this position's own parent, or first positions where it is one: they
    go on at the same time as it, and nobody waits for them.
    """

    drafts: tuple[Draft, ...] = ()
    beside: tuple[Take | Enter, ...] = ()
    next: Next


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a word from outside changes: what happened, which first positions begin, and which
    positions (`again`) are asked anew what is next, whatever they wait for being dropped."""

    drafts: tuple[Draft, ...] = ()
    beside: tuple[Enter, ...] = ()
    again: tuple[str, ...] = ()


class Program(Protocol):
    """How one pack runs under one profile."""

    @property
    def budget(self) -> Budget:
        """The limits that the pack itself sets."""
        ...

    def start(self, run: Run) -> tuple[str, ...]:
        """The states to enter first. Raises CannotRun (missing inputs, no entry…)."""
        ...

    def ask(self, run: Run, position: Position, key: str) -> Outcome:
        """What should happen here now. An effect it asks for carries `key` and `position.id`."""
        ...

    def answer(self, run: Run, position: Position, effect: Effect, signal: Signal) -> Outcome:
        """What the answer to `effect` means. The engine has already recorded the answer itself
        (`model.replied`, `tool.returned`, `command.finished`, `approval.given`)."""
        ...

    def fire(self, run: Run, position: Position, event: str) -> Outcome | Heard | None:
        """An event from outside, at a position that may have something pending. None: not one of
        this state's events, so nothing happens. `Heard`: it takes no arrow, and what is asked stays
        asked unless that says otherwise."""
        ...
