"""What a dialect answers to the engine: what should happen here, and what an answer means.

The engine owns numbering, keys, positions, pause and step, budgets, cancel, fork and join. A
program is pure and keeps nothing: what it must remember goes into `memory` of an event it drafts
(`fields["memory"]` is merged into the position's memory, `fields["run_memory"]` into the run's).

Drafts may leave out `position` and `state`: the engine fills them in. It stamps key and position on
every effect, those that `answer` and `fire` ask for included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from workflows.core.engine.effects import Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Signal, Tell


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
class ExternalOutcome:
    """What a word from outside changes: what happened, which first positions begin, and which
    positions (`again`) are asked anew what is next, whatever they wait for being dropped."""

    drafts: tuple[Draft, ...] = ()
    beside: tuple[Enter, ...] = ()
    again: tuple[str, ...] = ()


class Program(Protocol):
    """How one pack runs under one profile. A dialect's program subclasses this for the defaults."""

    @property
    def budget(self) -> Budget:
        """The limits that the pack itself sets."""
        ...

    @property
    def terminals(self) -> frozenset[str]:
        """State ids whose `state.entered` the engine marks with `terminal`."""
        return frozenset()

    @property
    def required_inputs(self) -> tuple[str, ...]:
        """Names of the inputs that a run must be started with."""
        return ()

    @property
    def simulated_inputs(self) -> Mapping[str, str]:
        """Values for a rehearsal, by input name. Other required inputs get a generated text."""
        return {}

    @property
    def requires(self) -> Mapping[str, str]:
        """Capabilities of the model: name → `hard`, `preferred` or `probed`. See `capabilities`."""
        return {}

    def start(self, run: RunState) -> tuple[str, ...]:
        """The states to enter first. Raises CannotRun (missing inputs, no entry…)."""
        ...

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        """The next step at this position. An effect of it carries `key` and `position.id`."""
        ...

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        """The consequences of an answer to `effect`. The engine has already recorded the answer
        (`model.replied`, `tool.returned`, `command.finished`, `approval.given`)."""
        ...

    def fire(
        self, run: RunState, position: Position, event: str
    ) -> Outcome | ExternalOutcome | None:
        """An external event, at a position that may have a pending effect. None: the state has no
        such event, and nothing happens. `ExternalOutcome`: no transition is taken, and the pending
        effect stays unless its position is in `again`."""
        ...

    def on_cancel(self, run: RunState) -> Iterable[Draft]:
        """Drafts to write before a cancelled run finishes."""
        return ()

    def on_message(self, run: RunState, signal: Tell) -> ExternalOutcome | None:
        """The changes that a `Tell` causes. None: its state accepts no messages."""
        return None

    def with_mode(self, mode: str) -> Program:
        """The same program in the mode of its run (`prompts.modes`)."""
        return self

    def with_templates(self, stored: Mapping[str, str]) -> Program:
        """The same program with the server's role templates by name, after the pack's own."""
        return self


class ProgramWrapper(Program):
    """A program that forwards to another one. Subclasses override what they change."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def budget(self) -> Budget:
        return self._program.budget

    @property
    def terminals(self) -> frozenset[str]:
        return self._program.terminals

    @property
    def required_inputs(self) -> tuple[str, ...]:
        return self._program.required_inputs

    @property
    def simulated_inputs(self) -> Mapping[str, str]:
        return self._program.simulated_inputs

    @property
    def requires(self) -> Mapping[str, str]:
        return self._program.requires

    def start(self, run: RunState) -> tuple[str, ...]:
        return self._program.start(run)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        return self._program.ask(run, position, key)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        return self._program.answer(run, position, effect, signal)

    def fire(
        self, run: RunState, position: Position, event: str
    ) -> Outcome | ExternalOutcome | None:
        return self._program.fire(run, position, event)

    def on_cancel(self, run: RunState) -> Iterable[Draft]:
        return self._program.on_cancel(run)

    def on_message(self, run: RunState, signal: Tell) -> ExternalOutcome | None:
        return self._program.on_message(run, signal)

    def with_mode(self, mode: str) -> Program:
        return self._around(self._program.with_mode(mode))

    def with_templates(self, stored: Mapping[str, str]) -> Program:
        return self._around(self._program.with_templates(stored))

    def _around(self, program: Program) -> Program:
        other = copy(self)
        other._program = program
        return other
