"""The interface between a dialect and the engine: the next step at a position, and the consequences
of an answer.

The engine owns numbering, keys, positions, pause and step, budgets, cancel, fork and join. A
program is pure and has no state of its own: what it must remember is the `memory` of an event that
it drafts (`fields["memory"]` is merged into the position's memory, `fields["run_memory"]` into the
run's).

Drafts may omit `position` and `state`; the engine fills them in. It also sets key and position of
every effect, including those from `answer` and `fire`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

from workflows.core.engine.effects import Effect, ToolSpec
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.run_options import RunInput, RunOption
from workflows.core.engine.signals import Signal, Tell


class CannotRun(Exception):
    """The pack cannot start. `message` is the reason, `code` a finding's or upstream's code."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Limits of a whole run; None is no limit. The smaller limit of pack and starter applies."""

    total_visits: int | None = None
    tool_calls: int | None = None
    wall_seconds: float | None = None
    model_calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    @cached_property
    def limits(self) -> tuple[tuple[str, float], ...]:
        """The limits that are set, by name."""
        values = ((item.name, getattr(self, item.name)) for item in fields(self))
        return tuple((name, limit) for name, limit in values if limit is not None)


NO_LIMITS = Budget()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Request this effect; `answer` continues."""

    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Take a transition. `memory` is the initial memory of the new visit. `sources`: the transition
    starts at those states instead of this one; if branches meet, one transition comes from each and
    the target is entered once. `enters` applies only to `Outcome.beside`: False if the transition
    is recorded and the target is not entered, because another position already handles it."""

    target: str
    label: str
    redirected: bool = False
    original_target: str = ""
    memory: tuple[tuple[str, Any], ...] = ()
    sources: tuple[str, ...] = ()
    enters: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Enter:
    """Enter a state without a transition. `memory` is the initial memory of the visit."""

    state: str
    memory: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Call `ask` again at the same position, after the drafts are folded in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """Continue at several states in parallel. This position waits until all of them have joined."""

    takes: tuple[Take, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """End this branch. The position that forked continues (Again) when its last branch has ended.

    `cancel_others` also ends the sibling branches and their own branches: their pending effects are
    dropped, late answers have no effect, and the position that forked continues at once. The drafts
    may record their ends (`fields["position"]` names another position).
    """

    cancel_others: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """End the run. `transition` is the id of the transition that ends it, if one is drawn."""

    status: Literal["completed", "failed", "budget_exhausted", "cancelled"]
    reason: str = ""
    transition: str = ""


Next: TypeAlias = Ask | Take | Again | Fork | Join | End


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one step at a position: drafts in order, new parallel positions, and the next
    step here.

    `beside` starts branches of this position's parent, or first positions if it has no parent. They
    run in parallel, and no position waits for them.
    """

    drafts: tuple[Draft, ...] = ()
    beside: tuple[Take | Enter, ...] = ()
    next: Next


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalOutcome:
    """The result of an external event or message: drafts, new first positions, and the positions
    (`again`) whose pending effects are dropped and whose next step is requested again."""

    drafts: tuple[Draft, ...] = ()
    beside: tuple[Enter, ...] = ()
    again: tuple[str, ...] = ()


class Program(Protocol):
    """The execution of one pack under one profile. A dialect's program subclasses this for the
    defaults."""

    @property
    def budget(self) -> Budget:
        """The limits of the pack itself that the engine counts. None by default: a program may
        count others, for example turns."""
        return NO_LIMITS

    @property
    def terminals(self) -> frozenset[str]:
        """State ids whose `state.entered` the engine marks with `terminal`."""
        return frozenset()

    @property
    def required_inputs(self) -> tuple[str, ...]:
        """Names of the inputs that a run must be started with."""
        return ()

    @property
    def inputs(self) -> tuple[RunInput, ...]:
        """The inputs of a run as far as the pack describes them, all required ones among them."""
        return tuple(RunInput(name=name, required=True) for name in self.required_inputs)

    @property
    def options(self) -> tuple[RunOption, ...]:
        """Inputs that select how the pack runs, besides its required ones."""
        return ()

    @property
    def simulated_inputs(self) -> Mapping[str, str]:
        """Values for a rehearsal, by input name. Other required inputs get a generated text."""
        return {}

    @property
    def requires(self) -> Mapping[str, str]:
        """Capabilities of the model: name → `hard`, `preferred` or `probed`. See `capabilities`."""
        return {}

    @property
    def tool_parameters(self) -> Mapping[str, Mapping[str, Any]]:
        """JSON Schemas of the arguments of tools by name. A call that does not fit is not made: the
        program gets the reason as its error. Empty before `with_tools`."""
        return {}

    @property
    def wants_worktree(self) -> bool:
        """True if the pack asks for a git work tree of the repository that it works on."""
        return False

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

    def with_tools(self, tools: Mapping[str, ToolSpec]) -> Program:
        """The same program with these tools of the session by name, besides standard tools and the
        pack's own. The arguments of calls are checked from then on."""
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
    def inputs(self) -> tuple[RunInput, ...]:
        return self._program.inputs

    @property
    def options(self) -> tuple[RunOption, ...]:
        return self._program.options

    @property
    def simulated_inputs(self) -> Mapping[str, str]:
        return self._program.simulated_inputs

    @property
    def requires(self) -> Mapping[str, str]:
        return self._program.requires

    @property
    def tool_parameters(self) -> Mapping[str, Mapping[str, Any]]:
        return self._program.tool_parameters

    @property
    def wants_worktree(self) -> bool:
        return self._program.wants_worktree

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

    def with_tools(self, tools: Mapping[str, ToolSpec]) -> Program:
        return self._around(self._program.with_tools(tools))

    def _around(self, program: Program) -> Program:
        other = copy(self)
        other._program = program
        return other
