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
class Shape:
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
    traps: tuple[list[str], ...]
    """Reachable loops and dead ends without an outgoing transition and without an end."""
    came: dict[str, Transition | None]
    """Reachable states with the transition that reaches them, nearest first; None for an entry."""

    def exits(self, state: str) -> list[Transition]:
        """Transitions to other states, without redirects of a cap and calls of another agent."""
        return [
            arrow
            for arrow in self.out[state]
            if arrow.kind not in ("redirect", "delegate") and arrow.target != state
        ]

    def way_to(self, state: str) -> tuple[str, ...]:
        """The shortest path from an entry, as transition ids (its last `MAX_WALK`)."""
        return walk_back(self.came, state)

    def around(self, start: str, members: Iterable[str]) -> tuple[str, ...]:
        """The shortest path from a state back to itself inside a loop, as transition ids."""
        inside = set(members)
        inner = {id: [arrow for arrow in self.out[id] if arrow.target in inside] for id in inside}
        came = reachable_from([start], inner)
        back = next(arrow for id in came for arrow in inner[id] if arrow.target == start)
        return (*walk_back(came, back.source), back.id)[-MAX_WALK:]


_last: list[tuple[Graph, Shape]] = []


def shape(graph: Graph) -> Shape:
    """The structure of a graph. The newest one is cached, because all rules need it in turn."""
    for known, found in _last:
        if known is graph:
            return found
    found = _shape(graph)
    _last[:] = [(graph, found)]
    return found


def _shape(graph: Graph) -> Shape:
    states = {state.id: state for state in graph.states if not state.stateless}
    ids = {state.id for state in graph.states}
    out: dict[str, list[Transition]] = {id: [] for id in states}
    into: dict[str, list[Transition]] = {id: [] for id in states}
    missing = []
    for arrow in graph.transitions:
        if arrow.target not in ids and arrow.target != END:
            missing.append(arrow)
        if arrow.inert or arrow.source not in states or arrow.target not in states:
            continue
        out[arrow.source].append(arrow)
        into[arrow.target].append(arrow)
    first = tuple(dict.fromkeys(e.state for e in graph.entries if e.state in states))
    came = reachable_from(first, out)
    return Shape(
        states=states,
        out=out,
        into=into,
        missing=tuple(missing),
        first=first,
        came=came,
        traps=tuple(
            part for part in components(onward(out)) if _is_trap(part, states, out, into, came)
        ),
    )


def _is_trap(
    part: list[str],
    states: dict[str, State],
    out: dict[str, list[Transition]],
    into: dict[str, list[Transition]],
    came: dict[str, Transition | None],
) -> bool:
    """True for states from which no run ends. A called agent returns to its caller, so calls are
    no traps."""
    members = set(part)
    return (
        part[0] in came
        and not any(states[id].terminal or states[id].may_end for id in part)
        and not any(arrow.kind == "delegate" for id in part for arrow in (*into[id], *out[id]))
        and all(arrow.target in members for id in part for arrow in out[id])
    )


def onward(out: dict[str, list[Transition]]) -> dict[str, list[str]]:
    """The targets of the transitions, by state."""
    return {id: [arrow.target for arrow in arrows] for id, arrows in out.items()}


def reachable_from(
    first: Iterable[str], out: dict[str, list[Transition]]
) -> dict[str, Transition | None]:
    """Every state reachable from `first` and the transition that reaches it, breadth first."""
    came: dict[str, Transition | None] = dict.fromkeys(first)
    queue = deque(came)
    while queue:
        for arrow in out[queue.popleft()]:
            if arrow.target not in came:
                came[arrow.target] = arrow
                queue.append(arrow.target)
    return came


def walk_back(came: dict[str, Transition | None], state: str) -> tuple[str, ...]:
    """The path of `reachable_from` to a state, as transition ids (its last `MAX_WALK`)."""
    walk: deque[str] = deque(maxlen=MAX_WALK)
    arrow = came[state]
    while arrow is not None and len(walk) < MAX_WALK:
        walk.appendleft(arrow.id)
        arrow = came[arrow.source]
    return tuple(walk)


def reaching(
    last: Iterable[str], into: dict[str, list[Transition]]
) -> dict[str, Transition | None]:
    """Every state from which `last` can be reached, and the transition to take there."""
    onward: dict[str, Transition | None] = dict.fromkeys(last)
    queue = deque(onward)
    while queue:
        for arrow in into[queue.popleft()]:
            if arrow.source not in onward:
                onward[arrow.source] = arrow
                queue.append(arrow.source)
    return onward
