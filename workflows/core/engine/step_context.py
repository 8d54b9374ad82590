"""The working state of one step: the events written so far, and the positions that still have to
move."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, TypeAlias, assert_never

from workflows.core.engine.budget import BEFORE_TAKING, exhausted, limits_on, smaller
from workflows.core.engine.effect_events import request_events
from workflows.core.engine.effects import CallTool, Effect, effect_from_json, effect_to_json
from workflows.core.engine.events import Draft, Event
from workflows.core.engine.fold import fold_into
from workflows.core.engine.json_values import to_json_value
from workflows.core.engine.program import (
    Again,
    Ask,
    Budget,
    End,
    Enter,
    ExternalOutcome,
    Fork,
    Join,
    Outcome,
    Program,
    Take,
)
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import ToolDone
from workflows.core.tools.arguments import argument_problem

MOVES_PER_SIGNAL = 1_000
"""Transitions and repeated questions that one signal may cause. More count as an endless loop."""

Memory: TypeAlias = tuple[tuple[str, Any], ...]


class StepContext:
    """Mutable, used for one call of `transition`. `before` is the run before it. `run` is the fold
    of all written events, a private copy that each of them changes: a program sees it during one
    call only."""

    def __init__(
        self, *, program: Program, run: RunState, at: float, budget: Budget | None
    ) -> None:
        self.program = program
        self.before = run
        self.run = copy(run)
        self.at = at
        self.budget = smaller(program.budget, budget) if budget else program.budget
        self.events: list[Event] = []
        self.agenda: deque[str] = deque()
        """Positions whose next step has to be requested from the program."""
        self.allowed = 0
        """Number of effects that may still be requested while stepping."""
        self.moves = 0
        self._terminals = program.terminals

    def result(self) -> tuple[tuple[Event, ...], tuple[Effect, ...]]:
        """All written events, and the effects that became pending."""
        wanted = tuple(
            effect_from_json(effect)
            for key, effect in self.run.pending.items()
            if key not in self.before.pending
        )
        return tuple(self.events), wanted

    def write(self, type: str, fields: Mapping[str, Any]) -> None:
        """Number an event and fold it in."""
        self.write_json(type, to_json_value(fields))

    def write_json(self, type: str, fields: Mapping[str, Any]) -> None:
        """`write` for fields that are plain JSON already."""
        event = Event(n=self.run.n + 1, at=self.at, type=type, fields=fields)
        self.events.append(event)
        fold_into(self.run, event)

    def finish(
        self, status: str, reason: str = "", *, code: str = "", transition: str = ""
    ) -> None:
        """End the run, for every position."""
        self.agenda.clear()
        fields = {"status": status, "reason": reason}
        cause = _cause(self.run) if status == "failed" else ""
        if cause and cause.rstrip(".") not in reason:
            fields["cause"] = cause if cause.endswith((".", "!", "?")) else f"{cause}."
        if code:
            fields["code"] = code
        if transition:
            fields["transition"] = transition
        self.write("run.finished", fields)

    def go(self) -> None:
        """Advance every position on the agenda until all of them wait."""
        while self.agenda and not self.run.finished:
            position = self.run.position(self.agenda.popleft())
            if self._must_wait():
                self._hold(position)
                continue
            key = self._key(position)
            self.follow(position, self.program.ask(self._current(), position, key))
        if self.run.stepping and not self.run.pending and not self.run.finished:
            self.write("run.paused", {"reason": "One step was taken."})

    def follow(self, position: Position, outcome: Outcome) -> None:
        """Write an outcome's drafts and carry out its next step."""
        if outcome.drafts:
            self._write_drafts(position, outcome.drafts)
            position = self.run.position(position.id)
        if outcome.beside:
            if not self._start_parallel(position, outcome.beside):
                return
            position = self.run.position(position.id)
        match outcome.next:
            case Ask(effect=effect):
                self._ask_or_hold(position, effect)
            case Take() as take:
                self._take(position, take)
            case Again():
                if self._may_move(1):
                    self.agenda.append(position.id)
            case Fork(takes=takes):
                self._fork(position, takes)
            case Join(cancel_others=alone):
                self._join(position, alone=alone)
            case End(status=status, reason=reason, transition=transition):
                self.finish(status, reason, transition=transition)
            case _:
                assert_never(outcome.next)

    def _write_drafts(self, position: Position, drafts: Iterable[Draft]) -> None:
        here = {"position": position.id, "state": position.state}
        for draft in drafts:
            self.write(draft.type, {**here, **draft.fields})

    def apply_external(self, outcome: ExternalOutcome) -> None:
        """Write an external outcome's drafts, and put its positions on the agenda."""
        for draft in outcome.drafts:
            self.write(draft.type, draft.fields)
        for enter in outcome.beside:
            if not self._may_move(1) or not self._within_budget():
                return
            self._begin(enter, parent="")
        for id in outcome.again:
            self.drop_pending(id)
            self.agenda.append(id)

    def drop_pending(self, id: str) -> None:
        """Withdraw the pending effects of a position. Late answers have no effect then."""
        for key, effect in list(self.run.pending.items()):
            if effect["position"] == id:
                self.write("effect.dropped", {"key": key, "position": id, "state": effect["state"]})

    def ask_for(self, position: Position, effect: Effect) -> None:
        """Make an effect pending, under the next key, unless the budget forbids it."""
        reason = exhausted(self.budget, self._current(), limits_on(effect))
        if reason:
            self.finish("budget_exhausted", reason)
            return
        self.allowed = max(0, self.allowed - 1)
        key = self._key(position)
        if (effect.key, effect.position, effect.state) != (key, position.id, position.state):
            effect = replace(effect, key=key, position=position.id, state=position.state)
        for type, fields in request_events(effect):
            self.write_json(type, fields)

    def enter(self, id: str, state: str, memory: Memory = (), *, parent: str = "") -> None:
        """Start a visit. The position may be new to the run."""
        fields = {
            "position": id,
            "state": state,
            "visit": self.run.visits.get(state, 0) + 1,
            "terminal": state in self._terminals,
        }
        if memory:
            fields["memory"] = dict(memory)
        if parent:
            fields["parent"] = parent
        self.write("state.entered", fields)
        self.stop_at(state)

    def stop_at(self, id: str) -> None:
        """Pause if this state or transition has a breakpoint. The next request is then held."""
        run = self.run
        if id == run.until or (id in run.breakpoints and run.status != "paused"):
            self.write("run.paused", {"reason": f"breakpoint: {id}", "breakpoint": id})

    def _current(self) -> RunState:
        """The run as a program sees it: with the time of this signal."""
        return self.run if self.run.now == self.at else replace(self.run, now=self.at)

    def _key(self, position: Position) -> str:
        return f"{position.id}:{self.run.asked + 1}"

    def _must_wait(self) -> bool:
        return self.run.status == "paused" or (self.run.stepping and not self.allowed)

    def _hold(self, position: Position, effect: Effect | None = None) -> None:
        here = {"position": position.id, "state": position.state}
        kept = {"effect": effect_to_json(effect)} if effect else {}
        self.write("run.paused", {**here, **kept})

    def _ask_or_hold(self, position: Position, effect: Effect) -> None:
        if isinstance(effect, CallTool) and (error := self._call_problem(effect)):
            self._refuse(position, effect, error)
        elif self._must_wait():
            self._hold(position, effect)
        else:
            self.ask_for(position, effect)

    def _call_problem(self, call: CallTool) -> str:
        """The problem of a tool call's arguments, for the model; "" for none."""
        parameters = self.program.tool_parameters.get(call.name)
        return argument_problem(call.name, parameters, call.arguments) if parameters else ""

    def _refuse(self, position: Position, call: CallTool, error: str) -> None:
        """Answer a call that is not made with its error."""
        here = {"position": position.id, "state": position.state}
        fields = {"name": call.name, "arguments": call.arguments, "error": error}
        self.write("tool.refused", {**here, **fields})
        if not self._may_move(1):
            return
        key = self._key(position)
        made = replace(call, key=key, position=position.id, state=position.state)
        done = ToolDone(at=self.at, key=key, error=error)
        current = self.run.position(position.id)
        self.follow(current, self.program.answer(self._current(), current, made, done))

    def _may_move(self, moves: int) -> bool:
        self.moves += moves
        if self.moves <= MOVES_PER_SIGNAL:
            return True
        self.finish(
            "failed",
            f"The run moved {MOVES_PER_SIGNAL:,} times without a request: "
            "it is in an endless loop.",
        )
        return False

    def _within_budget(self) -> bool:
        reason = exhausted(self.budget, self._current(), BEFORE_TAKING)
        if reason:
            self.finish("budget_exhausted", reason)
        return not reason

    def _take(self, position: Position, take: Take) -> None:
        if not self._may_move(1) or not self._within_budget():
            return
        self.write("state.left", {"position": position.id, "state": position.state})
        self._arrive(position.id, position.state, take)

    def _arrive(self, id: str, source: str, take: Take, *, parent: str = "") -> None:
        self._cross(id, source, take)
        self.enter(id, take.target, take.memory, parent=parent)
        self.agenda.append(id)

    def _cross(self, id: str, source: str, take: Take) -> None:
        """Record the transition, or one from each of `sources`."""
        for begins in take.sources or (source,):
            taken: dict[str, Any] = {
                "position": id,
                "source": begins,
                "target": take.target,
                "label": take.label,
                "redirected": take.redirected,
                "transition": f"{begins}|{take.label}|{take.target}",
            }
            if take.original_target:
                taken["original_target"] = take.original_target
            self.write("transition.taken", taken)
            self.stop_at(taken["transition"])

    def _start_parallel(self, position: Position, beside: tuple[Take | Enter, ...]) -> bool:
        """Start the parallel positions. Return False if that ended the run."""
        if not self._may_move(len(beside)):
            return False
        parent = position.id.rpartition(".")[0]
        for branch_start in beside:
            if not self._within_budget():
                return False
            match branch_start:
                case Enter():
                    self._begin(branch_start, parent=parent)
                case Take(enters=True):
                    branch = self._branch(parent)
                    self._arrive(branch, position.state, branch_start, parent=parent)
                case Take():
                    self._cross(position.id, position.state, branch_start)
                case _:
                    assert_never(branch_start)
        return True

    def _begin(self, enter: Enter, *, parent: str) -> None:
        branch = self._branch(parent)
        self.enter(branch, enter.state, enter.memory, parent=parent)
        self.agenda.append(branch)

    def _branch(self, parent: str) -> str:
        """The id of the next branch of this position; the next first position for ""."""
        begun = self.run.branches.get(parent, 0)
        return f"{parent}.{begun + 1}" if parent else str(begun)

    def _fork(self, position: Position, takes: tuple[Take, ...]) -> None:
        if not self._may_move(max(1, len(takes))):
            return
        if not takes:
            self.agenda.append(position.id)
        for take in takes:
            if not self._within_budget():
                return
            branch = self._branch(position.id)
            self._arrive(branch, position.state, take, parent=position.id)

    def _join(self, position: Position, *, alone: bool) -> None:
        self.write("state.left", {"position": position.id, "state": position.state, "joined": True})
        parent = position.id.rpartition(".")[0]
        if alone:
            self._cancel_under(parent)
        if not self.run.positions:
            self.finish("completed")
        elif parent and not self.run.forked(parent):
            self.agenda.append(parent)

    def _cancel_under(self, parent: str) -> None:
        """End every position below this one; for "" (the parent of a first position) all others."""
        for other in self.run.positions:
            if not parent or other.id.startswith(f"{parent}."):
                gone = {"position": other.id, "state": other.state}
                self.write("state.left", {**gone, "joined": True, "cancelled": True})
        self.agenda = deque(id for id in self.agenda if any(id == p.id for p in self.run.positions))


def _cause(run: RunState) -> str:
    """The refused request or the unreadable answer, else the tool that failed last; "" for none."""
    if run.problem or not run.failed_tools:
        return run.problem
    name, error = list(run.failed_tools.items())[-1]
    return f"The tool {name} failed: {error}"
