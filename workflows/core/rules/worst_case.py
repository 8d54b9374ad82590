"""The worst-case cost of a run: visits, model calls and tokens that no run can exceed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workflows.core.pack.call_bound import CallBound
from workflows.core.pack.findings import EVERY, Finding, Place, rule
from workflows.core.pack.graph import Graph, State, Transition
from workflows.core.rules.graph_structure import (
    MAX_WALK,
    GraphStructure,
    onward,
    reachable_from,
    structure_of,
)
from workflows.core.rules.loops import Onward, loops_past_caps, parts_past_caps, past_caps
from workflows.core.rules.strong_components import components

if TYPE_CHECKING:
    from workflows.core.dialects.base import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """Upper bounds over every run. None: the files set no bound."""

    visits: int | None
    calls: int | None
    tokens: int | None


NO_BOUND = WorstCase(visits=None, calls=None, tokens=None)


@rule("GR114", "hint", "Worst case", profiles=EVERY)
def worst_case_cost(source: Any, graph: Graph) -> Iterable[Finding]:
    """This pack has loops, but caps or budgets bound them. This is the most that a single run can
    cost: states entered, model calls, tokens written. Lower a cap, a turn limit or the budget if
    that is too much. The path shown repeats the loops as often as the caps allow."""
    structure = structure_of(graph)
    walks = Walks(structure)
    if not walks.loops:
        return
    worst = worst_case(graph, walks)
    if worst.visits is None:
        return
    costs = [f"enters {_many(worst.visits, 'state')}"]
    costs += [f"makes {_many(worst.calls, 'model call')}"] if worst.calls else []
    costs += [f"writes {_many(worst.tokens, 'token')}"] if worst.tokens else []
    text = costs[0] if len(costs) == 1 else f"{', '.join(costs[:-1])} and {costs[-1]}"
    yield Finding(
        code="GR114",
        level="hint",
        message=f"At worst, a run {text}.",
        place=Place(path=structure.states[structure.first[0]].place.path, element="pack"),
        hint="Caps, turn limits and budgets set these limits.",
        walk=walks.longest(),
    )


def pack_bound(
    dialect: Dialect, source: Any, graph: Graph, assumed: Mapping[str, int]
) -> CallBound:
    """The most agents or model calls of one run of a readable pack."""
    bound = dialect.call_bound(source, assumed)
    if bound is not None:
        return bound
    calls = worst_case(graph).calls if graph.states else 0
    formula = "no limit" if calls is None else f"{calls:,}"
    return CallBound(formula=formula, most=calls, unit="model calls", calls={"": calls})


def pack_worst_case(
    dialect: Dialect, source: Any, graph: Graph, assumed: Mapping[str, int]
) -> WorstCase:
    """The bound that the dialect knows for a readable pack, else the one that follows from its
    graph. `assumed`: values of the dialect's unknowns."""
    bound = dialect.call_bound(source, assumed)
    if bound is not None:
        return WorstCase(visits=bound.most, calls=bound.most, tokens=None)
    return worst_case(graph) if graph.states else NO_BOUND


def worst_case(graph: Graph, walks: Walks | None = None) -> WorstCase:
    """The maximum cost of one run. Linear in states and transitions.

    Between two visits of capped states a run takes a path without loops. A loop therefore costs the
    heaviest such path for every visit that its caps allow. Branches of a fork count together.
    """
    walks = Walks(structure_of(graph)) if walks is None else walks
    structure = walks.structure
    states = [structure.states[id] for id in structure.reached if not structure.states[id].level]
    limit = graph.most_visits
    calls = _all_or_none(state.most_calls for state in states)
    tokens = _all_or_none(_most_tokens(state) for state in states)
    endless = walks.endless

    def bound(weights: list[int] | None) -> int | None:
        if weights is None:
            return None
        table = dict(zip((state.id for state in states), weights, strict=True))
        bounds = [] if endless else [walks.heaviest(table)]
        bounds += [] if limit is None else [limit * max(weights, default=0)]
        return min(bounds, default=None)

    return WorstCase(visits=bound([1] * len(states)), calls=bound(calls), tokens=bound(tokens))


@dataclass(frozen=True, slots=True)
class _Choice:
    """The next states of a run: one of `plain`, or all `branches` and then one of `meeting`, where
    they join."""

    plain: Sequence[str]
    branches: Sequence[str] = ()
    meeting: Sequence[str] = ()

    def heaviest(self, weight: Callable[[str], int]) -> int:
        """The heaviest continuation. A branch stops at its join, which the fork counts once."""
        plain = max(map(weight, self.plain), default=0)
        if not self.branches and not self.meeting:
            return plain
        joined = max(map(weight, self.meeting), default=0)
        return max(plain, sum(map(weight, self.branches)) + joined)


@dataclass(frozen=True, slots=True)
class _Loop:
    """The steps of one component past all caps, which form no loop: by state, last states first.
    `begins`: states at which a run may enter without counting towards a cap."""

    inner: Mapping[str, _Choice]
    begins: tuple[str, ...]


class Walks:
    """The parts of a worst case that do not depend on the weights of the states."""

    def __init__(self, structure: GraphStructure) -> None:
        self.structure = structure
        ends = [id for id, out in structure.out.items() if out and structure.states[id].terminal]
        self.out = structure.out | {id: [] for id in ends} if ends else structure.out
        self.parts = components(onward(self.out)) if ends else structure.parts
        self.reached = reachable_from(structure.first, self.out) if ends else structure.reached
        self.part_of = {id: number for number, part in enumerate(self.parts) for id in part}

    @cached_property
    def _leaving(self) -> list[_Choice]:
        """The transitions from each component to others."""
        return [
            self._choice(
                [a for id in part for a in self.out[id] if self.part_of[a.target] != number]
            )
            for number, part in enumerate(self.parts)
        ]

    @cached_property
    def _loops(self) -> dict[int, _Loop]:
        """The reachable loops, by number of the component. None of them may be endless."""
        return {
            number: self._loop_of(part)
            for number, part in enumerate(self.parts)
            if part[0] in self.reached and self._is_loop(part)
        }

    @property
    def loops(self) -> bool:
        """True if a run can repeat any loop."""
        return any(self._is_loop(part) for part in self.parts if part[0] in self.reached)

    @cached_property
    def endless(self) -> bool:
        """True if only a budget bounds a run."""
        looping = any(id in self.reached for loop in loops_past_caps(self.structure) for id in loop)
        return looping or any(
            transition.kind == "delegate" for id in self.reached for transition in self.out[id]
        )

    def heaviest(self, weights: Mapping[str, int]) -> int:
        """The heaviest path from an entry. States without a weight weigh 0."""
        best: list[int] = []
        for number, part in enumerate(self.parts):
            loop, own = self._loops.get(number), 0
            if loop is not None:
                own = self._heaviest_loop(loop, weights)
            elif part[0] in self.reached:
                own = weights.get(part[0], 0)
            best.append(own + self._leaving[number].heaviest(lambda id: best[self.part_of[id]]))
        starts = [id for id in self.structure.first if id in weights]
        return max((best[self.part_of[id]] for id in starts), default=0)

    def longest(self) -> tuple[str, ...]:
        """A path that stays in each loop as long as its caps allow."""
        states = self.structure.states
        here, visits, walk = self.structure.first[0], {self.structure.first[0]: 1}, list[str]()
        while len(walk) < MAX_WALK:
            onward = [
                transition
                for transition in self.out[here]
                if _may(states[transition.target], visits)
            ]
            if not onward:
                break
            stay = [
                transition
                for transition in onward
                if self.part_of[transition.target] == self.part_of[here]
            ]
            transition = min(
                stay or onward, key=lambda transition: visits.get(transition.target, 0)
            )
            walk.append(transition.id)
            here = transition.target
            visits[here] = visits.get(here, 0) + 1
        return tuple(walk)

    def _is_loop(self, part: list[str]) -> bool:
        return len(part) > 1 or any(
            transition.target == part[0] for transition in self.out[part[0]]
        )

    def _loop_of(self, part: list[str]) -> _Loop:
        members = set(part)
        steps = past_caps(self.structure)
        return _Loop(
            inner={
                id: self._choice([step for step in steps[id] if step.target in members])
                for id in sorted(part, key=self._order_past_caps.__getitem__)
            },
            begins=tuple(id for id in part if self._enters_uncounted(id, members)),
        )

    @cached_property
    def _order_past_caps(self) -> dict[str, int]:
        """The place of each state in an order with successors first. Past all caps no steps form a
        loop, because none is endless."""
        return {
            id: place for place, part in enumerate(parts_past_caps(self.structure)) for id in part
        }

    def _heaviest_loop(self, loop: _Loop, weights: Mapping[str, int]) -> int:
        """The heaviest path in one component. It consists of pieces: one per visit that a cap
        counts, and one from the first state."""
        piece: dict[str, int] = {}
        for id, choice in loop.inner.items():
            piece[id] = weights.get(id, 0) + choice.heaviest(lambda id: piece.get(id, 0))
        rounds = sum((self.structure.states[id].max_visits or 0) * piece[id] for id in piece)
        return rounds + max((piece[id] for id in loop.begins), default=0)

    def _choice(self, steps: Sequence[Transition | Onward]) -> _Choice:
        plain = [step.target for step in steps if step.kind not in ("fork", "join")]
        if len(plain) == len(steps):
            return _Choice(plain)
        branches = list(dict.fromkeys(step.target for step in steps if step.kind == "fork"))
        meeting = {a.target for id in branches for a in self.out[id] if a.kind == "join"}
        return _Choice(plain, branches, tuple(meeting))

    def _enters_uncounted(self, id: str, members: set[str]) -> bool:
        """True if a run may enter the loop at this state without counting towards a cap."""
        capped = self.structure.states[id].max_visits is not None
        ways_in = [
            transition for transition in self.structure.into[id] if transition.source not in members
        ]
        if capped:
            return any(transition.kind == "redirect" for transition in ways_in)
        return bool(ways_in) or id in self.structure.first


def _most_tokens(state: State) -> int | None:
    if state.most_calls == 0:
        return 0
    if state.most_calls is None or state.most_tokens is None:
        return None
    return state.most_calls * state.most_tokens


def _all_or_none(values: Iterable[int | None]) -> list[int] | None:
    listed = list(values)
    return None if None in listed else [value for value in listed if value is not None]


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _may(state: State, visits: dict[str, int]) -> bool:
    return state.max_visits is None or visits.get(state.id, 0) < state.max_visits
