"""Rehearsal: many runs of a program without a model, and their coverage.

Every answer is generated from a seed: models take the least taken transitions; commands succeed and
people approve in every other run, and by seed in the runs between. No command is executed and no
person is involved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from workflows.core.conversation.checked_questions import CheckedQuestions
from workflows.core.engine.effects import AskModel, Choice, Effect
from workflows.core.engine.events import Event
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.program import Program
from workflows.core.engine.rehearsal.answers import (
    answer_with,
    choices_of,
    numbers_for,
)
from workflows.core.engine.rehearsal.entries import open_choices, starts_of
from workflows.core.engine.rehearsal.explorer import Explorer
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import advance
from workflows.core.pack.graph import DEFAULT, END, Graph, State

CUT_SHORT = "cut_short"
"""The outcome of a run that the rehearsal ended because it had too many steps."""
MAX_WARNINGS = 5
MAX_PATHS_LENGTH = 100_000
"""Transitions in all shortest paths of a result together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`steps`: answers per run (None: enough to take every transition several times); `total`:
    answers in all runs together; `fruitless`: consecutive runs without an end and without a new
    transition, after which the rehearsal stops. `covered`: it also stops once every transition was
    taken, because only the coverage is of interest."""

    steps: int | None = None
    total: int = 10_000
    fruitless: int = 3
    covered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """One run of a rehearsal. `outcome`: the status with which it ended, or `cut_short`. `reason`:
    a full message if it did not complete. `state`: the last one that it entered."""

    number: int
    outcome: str
    reason: str
    state: str
    transitions: int
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """The results of a rehearsal. `shortest`: transition → the transitions of the shortest run that
    takes it, itself last, as far as all paths together have MAX_PATHS_LENGTH transitions. Only
    transitions that a run can take are counted."""

    runs: int
    transitions: Mapping[str, int]
    states: Mapping[str, int]
    unreached: tuple[str, ...]
    shortest: Mapping[str, tuple[str, ...]]
    outcomes: Mapping[str, int]
    notes: tuple[str, ...] = ()
    walks: tuple[Walk, ...] = ()
    """Every run, in order."""
    taken_in: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Transition → the number of the run that takes it by its shortest path, and the number of the
    event with which it does."""
    log: tuple[Event, ...] = ()
    """The events of the run `keep`."""

    @property
    def coverage(self) -> float | None:
        """The share of transitions that were taken, from 0 to 1. None if there are none."""
        total = len(self.transitions)
        return round((total - len(self.unreached)) / total, 4) if total else None

    @property
    def failed(self) -> bool:
        """True if every run failed. The first of `notes` are the reasons."""
        return set(self.outcomes) <= {"failed"}

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
            "failed": self.failed,
            "notes": list(self.notes),
            "walks": [asdict(walk) for walk in self.walks],
            "taken_in": {
                id: {"walk": walk, "event": event} for id, (walk, event) in self.taken_in.items()
            },
        }


def rehearse(
    program: Program,
    graph: Graph,
    *,
    runs: int = 50,
    seed: int = 1,
    inputs: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    is_over: Callable[[], bool] = lambda: False,
    keep: int = 0,
) -> Rehearsal:
    """Run the program `runs` times. The first runs explore; later ones go directly to the most
    distant transitions.

    A graph with several entries is run from each of them, not only from the program's own, and a
    choice that the start requires is made in every way;
    the states of other levels are entered only through the states that open them. Missing inputs
    are generated. `is_over`: the rehearsal ends once it returns True, with the runs so far. `keep`:
    the number of the run whose events are returned; equal arguments make equal runs.
    """
    all_inputs = {**simulated_inputs(program), **(inputs or {})}
    walker = _Walker(
        program, graph, seed, all_inputs, inputs or {}, limits or Limits(), is_over, keep
    )
    while walker.walks < runs and walker.may_continue():
        walker.walk(walker.next_goal())
    return walker.result(runs)


def simulated_inputs(program: Program, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """A value for every input that the program requires: the given one, its own
    `simulated_inputs`, an example of the pack, or a generated text."""
    own = {**program.simulated_inputs, **(given or {})}
    generated = {name: f"rehearsed {name}" for name in program.required_inputs}
    chosen = set(own.values())
    for one in program.inputs:
        if one.required and (not one.prompts or chosen.intersection(one.prompts)):
            generated[one.name] = next(iter((*one.values, *one.examples)), f"rehearsed {one.name}")
    return {**generated, **own}


@dataclass(slots=True, kw_only=True)
class _Point:
    """A run between two answers. `effect`: what it waits for, None at its end. `entered`: the
    states of the events since the answer before; `taken`: their transitions, with the number of the
    event."""

    events: tuple[Event, ...]
    run: RunState
    effect: Effect | None
    entered: tuple[str, ...]
    taken: tuple[tuple[str, int], ...]


@dataclass
class _Walker:
    program: Program
    graph: Graph
    seed: int
    inputs: Mapping[str, str]
    given: Mapping[str, str]
    """The inputs that are not generated."""
    limits: Limits
    is_over: Callable[[], bool]
    keep: int
    walks: int = 0
    steps: int = 0
    taken: Counter[str] = field(default_factory=Counter)
    entered: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    shortest: dict[str, tuple[list[str], int]] = field(default_factory=dict)
    """Transition → the transitions of a run, and the number of them up to this one. Runs share
    their list, because copies of long runs would take gigabytes."""
    tried: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    """States in which a command failed or a person declined."""
    checked: CheckedQuestions = field(default_factory=lambda: CheckedQuestions(10_000))
    warnings: dict[str, None] = field(default_factory=dict)
    """Refusals by some providers, in the order of the questions."""
    fruitless: int = 0
    done: list[Walk] = field(default_factory=list)
    taken_in: dict[str, tuple[int, int]] = field(default_factory=dict)
    log: list[Event] = field(default_factory=list)
    here: str = ""
    """The state that this run entered last."""
    failing: str = ""
    """The state whose next command fails, after the goal of this run."""

    def __post_init__(self) -> None:
        self.explorer = Explorer(self.graph)
        self.starts = starts_of(self.program, self.graph.on(""), self.inputs, self.given)
        enough = 300 + 3 * len(self.explorer.transitions)
        self.max_steps = self.limits.steps or min(enough, self.limits.total)

    def may_continue(self) -> bool:
        most = self.limits.fruitless * len(self.starts)
        within = self.steps < self.limits.total and self.fruitless < most
        if self.limits.covered and self.walks and not self._untaken():
            return False
        return within and not self.is_over()

    def _untaken(self) -> list[str]:
        return [id for id in self._counted() if not self.taken[id]]

    def next_goal(self) -> tuple[str, ...]:
        """A path to follow, if the graph has a shorter one to a transition than the runs so far; ()
        to explore."""
        if self.walks == 0:
            return ()
        if untaken := self._untaken():
            return self._goal_of_failure(untaken)
        for id, (_, length) in sorted(self.shortest.items(), key=lambda item: -item[1][1]):
            if id not in self.tried and length > 1:
                self.tried.add(id)
                direct = self.explorer.shortest_path_to(id)
                if direct and len(direct) < length:
                    return direct
        return ()

    def _goal_of_failure(self, untaken: list[str]) -> tuple[str, ...]:
        """A path to a command whose failure takes the last missing transitions; () to explore."""
        if not all(self.explorer.transitions[id].after for id in untaken):
            return ()
        for id in untaken:
            if id not in self.tried:
                self.tried.add(id)
                self.failing = self.explorer.transitions[id].source
                return self.explorer.path_before(id)
        return ()

    def walk(self, goal: tuple[str, ...]) -> None:
        """One run, from its start to its end or its limit."""
        self.walks += 1
        before = len(self.shortest)
        steps, path = 0, list[str]()
        self.here = ""
        start = self.starts[(self.walks - 1) % len(self.starts)]
        program, signal = start.program, Start(at=1.0, inputs=start.inputs)
        point = self._point(*advance(program, RunState(), signal))
        while True:
            self._count(point, path)
            run = point.run
            if point.effect is None or steps >= self.max_steps or self.is_over():
                break
            if self.limits.covered and len(self.taken) == len(self.explorer.transitions):
                break
            refused = self._refusal(point.effect)
            if refused:
                self.outcomes["failed"] += 1
                self.reasons[refused] += 1
                self.steps += steps + 1
                self.fruitless += 1
                self._add_walk("failed", refused, path, run)
                return
            steps += 1
            point = self._next(program, point, point.effect, goal[len(path) :], float(steps + 1))
            if not point.events:
                break
        self.steps += steps + 1
        status = run.status if run.finished else CUT_SHORT
        self.outcomes[status] += 1
        progressed = len(self.shortest) > before
        self.fruitless = 0 if run.finished or progressed else self.fruitless + 1
        if run.reason and status in ("failed", "budget_exhausted"):
            self.reasons[run.reason] += 1
        self._add_walk(status, run.reason, path, run)

    def _point(self, events: tuple[Event, ...], run: RunState) -> _Point:
        waiting = () if run.finished else pending_effects(run)
        moves = (event for event in events if event.type in ("transition.taken", "run.finished"))
        return _Point(
            events=events,
            run=run,
            effect=waiting[0] if waiting else None,
            entered=tuple(e.fields["state"] for e in events if e.type == "state.entered"),
            taken=tuple((id, e.n) for e in moves for id in self.explorer.transitions_of(e)),
        )

    def _add_walk(self, outcome: str, reason: str, path: list[str], run: RunState) -> None:
        self.done.append(
            Walk(
                number=self.walks,
                outcome=outcome,
                reason=_sentence(outcome, reason, self.here, self.max_steps),
                state=self.here,
                transitions=len(path),
                events=run.n,
            )
        )

    def _refusal(self, effect: Effect) -> str:
        """The reason for which every provider would refuse this request, "" if one accepts it."""
        if not isinstance(effect, AskModel):
            return ""
        refusals = self.checked.refusals(effect)
        self.warnings |= dict.fromkeys(refusals.by_some)
        return refusals.by_all

    def _next(
        self, program: Program, point: _Point, effect: Effect, goal: tuple[str, ...], at: float
    ) -> _Point:
        """The run after the next answer."""
        choice = self._choice(effect, point.run, goal)
        may_fail = effect.performer in ("command", "person")
        good = not may_fail or self._good(effect)
        if may_fail and not goal and effect.state == self.failing:
            self.failing, good = "", False
        rng = numbers_for(effect, (self.seed, self.walks))
        signal = answer_with(effect, choice, rng, at=at, good=good)
        return self._point(*advance(program, point.run, signal))

    def _choice(self, effect: Effect, run: RunState, goal: tuple[str, ...]) -> Choice | None:
        choices = choices_of(effect)
        for choice in choices:
            if goal and choice.transition == goal[0]:
                return choice
            ends = choice.transition and self.explorer.target_of(choice) == END
            if not goal and ends and effect.state == self.failing:
                return choice  # The command that is to fail guards the end of the run.
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

    def _count(self, point: _Point, path: list[str]) -> None:
        if self.walks == self.keep:
            self.log.extend(point.events)
        for state in point.entered:
            self.here = state
            self.entered[state] += 1
        for id, n in point.taken:
            self.taken[id] += 1
            path.append(id)
            shortest = self.shortest.get(id)
            if shortest is None or len(path) < shortest[1]:
                self.shortest[id] = path, len(path)
                self.taken_in[id] = (self.walks, n)

    def result(self, requested: int) -> Rehearsal:
        transitions = self._counted()
        return Rehearsal(
            runs=self.walks,
            transitions={id: self.taken[id] for id in transitions},
            states={state.id: self.entered[state.id] for state in self._states()},
            unreached=tuple(id for id in transitions if not self.taken[id]),
            shortest=self._listed_paths(),
            outcomes=dict(self.outcomes),
            notes=tuple(self._notes(requested)),
            walks=tuple(self.done),
            taken_in={id: self.taken_in[id] for id in transitions if id in self.taken_in},
            log=tuple(self.log),
        )

    def _counted(self) -> list[str]:
        """The transitions that a run can take. A default is none of them if no answer that the
        schema of its state allows leads to it."""
        return [
            id
            for id, transition in self.explorer.transitions.items()
            if transition.value != DEFAULT
            or self.taken[id]
            or id in self.explorer.offered
            or not self.entered[transition.source]
        ]

    def _listed_paths(self) -> dict[str, tuple[str, ...]]:
        """The shortest paths, up to MAX_PATHS_LENGTH together: of many long ones, the shorter."""
        left = MAX_PATHS_LENGTH
        listed: dict[str, tuple[str, ...]] = {}
        for id, (path, length) in sorted(self.shortest.items(), key=lambda item: item[1][1]):
            left -= length
            if left < 0:
                break
            listed[id] = tuple(path[:length])
        return {id: listed[id] for id in self.explorer.transitions if id in listed}

    def _states(self) -> list[State]:
        return [state for state in self.graph.states if not state.stateless]

    def _notes(self, requested: int) -> list[str]:
        notes = [f"{count} × {_line(reason)}" for reason, count in self.reasons.most_common(5)]
        notes += [_line(warning) for warning in islice(self.warnings, MAX_WARNINGS)]
        if len(self.warnings) > MAX_WARNINGS:
            notes.append(f"{len(self.warnings) - MAX_WARNINGS} more requests would be refused.")
        if self.walks < requested:
            why = "the time limit" if self.is_over() else f"{self.steps:,} steps"
            notes.append(f"Stopped after {self.walks} of {requested} runs: {why}.")
        if self.outcomes[CUT_SHORT]:
            notes.append(
                f"{self.outcomes[CUT_SHORT]} of the runs had not ended after "
                f"{self.max_steps:,} answers."
            )
        for choice in open_choices(self.program, self.given):
            begun = (one.inputs.get(choice.name, "") for one in self.starts[: self.walks])
            notes.append(_line(f"Started with {choice.name}: {', '.join(dict.fromkeys(begun))}."))
        left_out = len(self.graph.transitions) - len(self._counted())
        if left_out:
            notes.append(f"{left_out} transitions that no run can take are not counted.")
        return notes


def _sentence(outcome: str, reason: str, state: str, most: int) -> str:
    """The reason for which a run did not complete, as a full message; "" if it did."""
    at = f" at '{state}'" if state else ""
    reason = reason.strip()
    if reason and reason[-1] not in ".!?":
        reason = f"{reason}."
    match outcome:
        case "completed":
            return ""
        case "failed":
            return f"The run failed{at}. {reason or 'The pack gives no reason.'}"
        case "budget_exhausted":
            return f"The run used up its budget{at}. {reason}".strip()
        case "cut_short":
            return f"The run had not ended after {most:,} answers and was stopped{at}."
        case "cancelled":
            return f"The run was cancelled{at}. {reason}".strip()
        case _:
            return f"The run stopped{at} and nothing could continue it. {reason}".strip()


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 200 else f"{flat[:199]}…"
