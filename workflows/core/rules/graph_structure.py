"""The structure of a graph for rules: successors, reachable states, loops. In linear time.

`stateless` elements and `inert` transitions are left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from workflows.core.pack.graph import END, Graph, State, Transition
from workflows.core.rules.strong_components import components

MAX_WALK = 100
"""Transitions in a counterexample: the last ones of a longer path."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphStructure:
    """The structure of one graph. `out` and `into` hold the transitions by state id.

    Compared by identity, so that results can be cached by it.
    """

    states: dict[str, State]
    out: dict[str, list[Transition]]
    into: dict[str, list[Transition]]
    missing: tuple[Transition, ...]
    """Transitions to a missing state."""
    first: tuple[str, ...]
    """Entries that exist, in order."""
    parts: list[list[str]]
    """The strongly connected components, successors first."""
    traps: tuple[list[str], ...]
    """Reachable loops and dead ends without an outgoing transition and without an end."""
    reached: dict[str, Transition | None]
    """Reachable states with the transition that reaches them, nearest first; None for an entry."""

    def exits(self, state: str) -> list[Transition]:
        """Transitions to other states, without redirects of a cap and calls of another agent."""
        return [
            transition
            for transition in self.out[state]
            if transition.kind not in ("redirect", "delegate") and transition.target != state
        ]

    def path_to(self, state: str) -> tuple[str, ...]:
        """The shortest path from an entry, as transition ids (its last `MAX_WALK`)."""
        return walk_back(self.reached, state)

    def around(self, start: str, members: Iterable[str]) -> tuple[str, ...]:
        """The shortest path from a state back to itself inside a loop, as transition ids."""
        inside = set(members)
        inner = {
            id: [transition for transition in self.out[id] if transition.target in inside]
            for id in inside
        }
        reached = reachable_from([start], inner)
        back = next(
            transition for id in reached for transition in inner[id] if transition.target == start
        )
        return (*walk_back(reached, back.source), back.id)[-MAX_WALK:]


_last: list[tuple[Graph, GraphStructure]] = []


def structure_of(graph: Graph) -> GraphStructure:
    """The structure of a graph. The newest one is cached, because all rules need it in turn."""
    for latest, structure in _last:
        if latest is graph:
            return structure
    structure = _compute(graph)
    _last[:] = [(graph, structure)]
    return structure


def _compute(graph: Graph) -> GraphStructure:
    states = {state.id: state for state in graph.states if not state.stateless}
    ids = {state.id for state in graph.states}
    out: dict[str, list[Transition]] = {id: [] for id in states}
    into: dict[str, list[Transition]] = {id: [] for id in states}
    missing = []
    for transition in graph.transitions:
        if transition.target not in ids and transition.target != END:
            missing.append(transition)
        if transition.inert or transition.source not in states or transition.target not in states:
            continue
        out[transition.source].append(transition)
        into[transition.target].append(transition)
    first = tuple(dict.fromkeys(e.state for e in graph.entries if e.state in states))
    reached = reachable_from(first, out)
    parts = components(onward(out))
    return GraphStructure(
        states=states,
        out=out,
        into=into,
        missing=tuple(missing),
        first=first,
        parts=parts,
        reached=reached,
        traps=tuple(part for part in parts if _is_trap(part, states, out, into, reached)),
    )


def _is_trap(
    part: list[str],
    states: dict[str, State],
    out: dict[str, list[Transition]],
    into: dict[str, list[Transition]],
    reached: dict[str, Transition | None],
) -> bool:
    """True for states from which no run ends. A called agent returns to its caller, so calls are
    no traps."""
    members = set(part)
    return (
        part[0] in reached
        and all(transition.target in members for id in part for transition in out[id])
        and not any(states[id].terminal or states[id].may_end for id in part)
        and not any(
            transition.kind == "delegate" for id in part for transition in (*into[id], *out[id])
        )
    )


def onward(out: dict[str, list[Transition]]) -> dict[str, list[str]]:
    """The targets of the transitions, by state."""
    return {
        id: [transition.target for transition in transitions] for id, transitions in out.items()
    }


def reachable_from(
    first: Iterable[str], out: dict[str, list[Transition]]
) -> dict[str, Transition | None]:
    """Every state reachable from `first` and the transition that reaches it, breadth first."""
    reached: dict[str, Transition | None] = dict.fromkeys(first)
    queue = deque(reached)
    while queue:
        for transition in out[queue.popleft()]:
            if transition.target not in reached:
                reached[transition.target] = transition
                queue.append(transition.target)
    return reached


def walk_back(reached: dict[str, Transition | None], state: str) -> tuple[str, ...]:
    """The path of `reachable_from` to a state, as transition ids (its last `MAX_WALK`)."""
    walk: deque[str] = deque(maxlen=MAX_WALK)
    transition = reached[state]
    while transition is not None and len(walk) < MAX_WALK:
        walk.appendleft(transition.id)
        transition = reached[transition.source]
    return tuple(walk)


def reaching(
    last: Iterable[str], into: dict[str, list[Transition]]
) -> dict[str, Transition | None]:
    """Every state from which `last` can be reached, and the transition to take there."""
    onward: dict[str, Transition | None] = dict.fromkeys(last)
    queue = deque(onward)
    while queue:
        for transition in into[queue.popleft()]:
            if transition.source not in onward:
                onward[transition.source] = transition
                queue.append(transition.source)
    return onward
