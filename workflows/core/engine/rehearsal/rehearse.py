"""Rehearsal: many runs of a program without a model, and their coverage.

Every answer is generated from a seed: models take the least taken transitions; commands succeed and
people approve in every other run, and by seed in the runs between. No command is executed and no
person is involved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workflows.core.engine.effects import Choice, Effect
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import Program
from workflows.core.engine.rehearsal.answers import answer_for, choices_of, choose, reply_for
from workflows.core.engine.rehearsal.entries import programs_by_entry
from workflows.core.engine.rehearsal.explorer import Explorer, counts_for_coverage
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import transition
from workflows.core.pack.graph import Graph, State

__all__ = ["Limits", "Rehearsal", "choose", "rehearse", "reply_for"]

CUT_SHORT = "cut_short"
"""The outcome of a run that the rehearsal ended because it had too many steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`steps`: answers per run (None: enough to take every transition several times); `total`:
    answers in all runs together; `fruitless`: consecutive runs without an end and without a new
    transition, after which the rehearsal stops."""

    steps: int | None = None
    total: int = 10_000
    fruitless: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """The results of a rehearsal. `shortest`: transition → the transitions of the shortest run that
    takes it, itself last. Only transitions that a run can take are counted."""

    runs: int
    transitions: Mapping[str, int]
    states: Mapping[str, int]
    unreached: tuple[str, ...]
    shortest: Mapping[str, tuple[str, ...]]
    outcomes: Mapping[str, int]
    notes: tuple[str, ...] = ()

    @property
    def coverage(self) -> float:
        """The share of transitions that were taken, from 0 to 1; 1 if there are none."""
        total = len(self.transitions)
        return 1.0 if not total else round((total - len(self.unreached)) / total, 4)

    def to_json(self) -> dict[str, Any]:
        """The shape of `POST packs/{id}/rehearse/` and of `signalbox rehearse --json`."""
        return {
            "runs": self.runs,
            "coverage": self.coverage,
            "transitions": dict(self.transitions),
            "states": dict(self.states),
            "unreached": list(self.unreached),
            "shortest": {id: list(walk) for id, walk in self.shortest.items()},
            "outcomes": dict(self.outcomes),
            "notes": list(self.notes),
        }


def rehearse(
    program: Program,
    graph: Graph,
    *,
    runs: int = 50,
    seed: int = 1,
    inputs: Mapping[str, str] | None = None,
    limits: Limits | None = None,
) -> Rehearsal:
    """Run the program `runs` times. The first runs explore; later ones go directly to the most
    distant transitions.

    A graph with several entries is run from each of them, not only from the program's own;
    the states of other levels are entered only through the states that open them. Missing inputs
    are generated.
    """
    all_inputs = {**simulated_inputs(program), **(inputs or {})}
    walker = _Walker(program, graph, seed, all_inputs, limits or Limits())
    while walker.walks < runs and walker.may_continue():
        walker.walk(walker.next_goal())
    return walker.result(runs)


def simulated_inputs(program: Program) -> dict[str, str]:
    """A value for every input that the program requires: its own `simulated_inputs`, or a generated
    text."""
    generated = {name: f"rehearsed {name}" for name in program.required_inputs}
    return {**generated, **program.simulated_inputs}


@dataclass
class _Walker:
    program: Program
    graph: Graph
    seed: int
    inputs: Mapping[str, str]
    limits: Limits
    walks: int = 0
    steps: int = 0
    taken: Counter[str] = field(default_factory=Counter)
    entered: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    shortest: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    """States in which a command failed or a person declined."""
    fruitless: int = 0

    def __post_init__(self) -> None:
        self.explorer = Explorer(self.graph)
        self.starts = programs_by_entry(self.program, self.graph.on(""), self.inputs)
        enough = 300 + 3 * len(self.explorer.transitions)
        self.max_steps = self.limits.steps or min(enough, self.limits.total)

    def may_continue(self) -> bool:
        most = self.limits.fruitless * len(self.starts)
        return self.steps < self.limits.total and self.fruitless < most

    def next_goal(self) -> tuple[str, ...]:
        """A path to follow, if the graph has a shorter one to a transition than the runs so far; ()
        to explore."""
        if self.walks == 0 or any(not self.taken[id] for id in self.explorer.transitions):
            return ()
        for id, walk in sorted(self.shortest.items(), key=lambda item: -len(item[1])):
            if id not in self.tried and len(walk) > 1:
                self.tried.add(id)
                direct = self.explorer.shortest_path_to(id)
                if direct and len(direct) < len(walk):
                    return direct
        return ()

    def walk(self, goal: tuple[str, ...]) -> None:
        """One run, from its start to its end or its limit."""
        self.walks += 1
        before = len(self.shortest)
        run, steps, path = RunState(), 0, list[str]()
        program = self.starts[(self.walks - 1) % len(self.starts)]
        events, _ = transition(program, run, Start(at=1.0, inputs=self.inputs))
        while True:
            run = fold_all(events, run)
            self._count(events, path)
            waiting = pending_effects(run)
            if run.finished or not waiting or steps >= self.max_steps:
                break
            steps += 1
            signal = self._answer(waiting[0], run, goal[len(path) :], float(steps + 1))
            events, _ = transition(program, run, signal)
            if not events:
                break
        self.steps += steps + 1
        status = run.status if run.finished else CUT_SHORT
        self.outcomes[status] += 1
        progressed = len(self.shortest) > before
        self.fruitless = 0 if run.finished or progressed else self.fruitless + 1
        if run.reason and status in ("failed", "budget_exhausted"):
            self.reasons[run.reason] += 1

    def _answer(self, effect: Effect, run: RunState, goal: tuple[str, ...], at: float) -> Any:
        seed = (self.seed, self.walks)
        choice = self._choice(effect, run, goal)
        may_fail = effect.performer in ("command", "person")
        good = not may_fail or self._good(effect)
        return answer_for(effect, choice, seed=seed, at=at, good=good)

    def _choice(self, effect: Effect, run: RunState, goal: tuple[str, ...]) -> Choice | None:
        choices = choices_of(effect)
        for choice in choices:
            if goal and choice.transition == goal[0]:
                return choice
        return self.explorer.best(
            choices,
            taken=self.taken,
            visits=run.visits,
            entered=self.entered,
            rng=Rng(self.seed, self.walks, effect.key),
        )

    def _good(self, effect: Effect) -> bool:
        """In every other run everything succeeds. In the runs between, an effect that never failed
        fails first, and then every second time by seed."""
        if self.walks % 2 == 1:
            return True
        if effect.state not in self.failed:
            self.failed.add(effect.state)
            return False
        return Rng(self.seed, self.walks, effect.key, "good").below(2) == 0

    def _count(self, events: tuple[Event, ...], path: list[str]) -> None:
        for event in events:
            if event.type == "state.entered":
                self.entered[event.fields["state"]] += 1
            if event.type == "transition.taken":
                for id in self.explorer.transitions_of(event):
                    self.taken[id] += 1
                    path.append(id)
                    shortest = self.shortest.get(id)
                    if shortest is None or len(path) < len(shortest):
                        self.shortest[id] = tuple(path)

    def result(self, requested: int) -> Rehearsal:
        transitions = self.explorer.transitions
        return Rehearsal(
            runs=self.walks,
            transitions={id: self.taken[id] for id in transitions},
            states={state.id: self.entered[state.id] for state in self._states()},
            unreached=tuple(id for id in transitions if not self.taken[id]),
            shortest={id: self.shortest[id] for id in transitions if id in self.shortest},
            outcomes=dict(self.outcomes),
            notes=tuple(self._notes(requested)),
        )

    def _states(self) -> list[State]:
        return [state for state in self.graph.states if not state.stateless]

    def _notes(self, requested: int) -> list[str]:
        notes = [f"{count} × {_line(reason)}" for reason, count in self.reasons.most_common(5)]
        if self.walks < requested:
            notes.append(f"Stopped after {self.walks} of {requested} runs: {self.steps:,} steps.")
        if self.outcomes[CUT_SHORT]:
            notes.append(
                f"{self.outcomes[CUT_SHORT]} of the runs had not ended after "
                f"{self.max_steps:,} answers."
            )
        left_out = sum(not counts_for_coverage(each) for each in self.graph.transitions)
        if left_out:
            notes.append(f"{left_out} transitions that no run can take are not counted.")
        return notes


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 200 else f"{flat[:199]}…"
