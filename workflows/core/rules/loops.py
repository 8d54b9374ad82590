"""Rules on loops that nothing bounds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workflows.core.pack.findings import EVERY, Finding, rule
from workflows.core.pack.graph import Graph, Transition, TransitionKind
from workflows.core.rules.graph_structure import MAX_WALK, GraphStructure, structure_of
from workflows.core.rules.strong_components import components


@rule("GR109", "warning", "Loop without a bound", profiles=EVERY)
def unbounded_loop(source: Any, graph: Graph) -> Iterable[Finding]:
    """A run can repeat this loop without limit: no cap on visits stops it, and the pack has no
    budget of visits. A model that never decides then runs until a user stops it. A cap whose
    redirect leads back into the loop does not bound it either, because a redirect ignores the next
    cap. Cap one of the states, or give the pack a budget. The path shown leads into the loop and
    once around it."""
    if graph.most_visits is not None:
        return
    structure = structure_of(graph)
    trapped = {id for loop in structure.traps for id in loop}
    for loop in endless(structure):
        first = loop[0]
        if first in trapped or first not in structure.reached:
            continue
        named = ", ".join(repr(id) for id in loop[:4]) + (", …" if len(loop) > 4 else "")
        yield Finding(
            code="GR109",
            level="warning",
            message=f"Nothing bounds how often a run repeats the loop {named}.",
            place=structure.states[first].place,
            hint="Cap the visits of one of these states, or give the pack a budget.",
            walk=walk_around(structure, loop),
        )


@dataclass(frozen=True, slots=True)
class Onward:
    """A step to the next state that is possible even if every cap is reached: a transition, or a
    transition into a capped state and its redirect, which then is the `last` one."""

    target: str
    kind: TransitionKind
    transition: Transition
    last: Transition

    @property
    def walk(self) -> tuple[str, ...]:
        """The ids of its transitions."""
        ids = (self.transition.id, self.last.id)
        return ids[:1] if self.last is self.transition else ids


@lru_cache(maxsize=2)
def endless(structure: GraphStructure) -> tuple[list[str], ...]:
    """The loops that runs can repeat without limit, each in the order in which runs reach its
    states."""
    rank = {id: number for number, id in enumerate(structure.reached)}
    loops = [
        sorted(part, key=lambda id: (rank.get(id, len(rank)), id))
        for part in loops_past_caps(structure)
    ]
    return tuple(sorted(loops, key=lambda loop: (rank.get(loop[0], len(rank)), loop[0])))


@lru_cache(maxsize=2)
def loops_past_caps(structure: GraphStructure) -> list[list[str]]:
    """The loops of `endless`, without an order."""
    steps = past_caps(structure)
    return [
        part
        for part in parts_past_caps(structure)
        if len(part) > 1 or any(step.target == part[0] for step in steps[part[0]])
    ]


@lru_cache(maxsize=2)
def past_caps(structure: GraphStructure) -> dict[str, list[Onward]]:
    """The steps that are possible when every cap is reached, by the state that they leave; none
    from an end."""
    return {id: _past_caps(structure, id) for id in structure.states}


@lru_cache(maxsize=2)
def parts_past_caps(structure: GraphStructure) -> list[list[str]]:
    """The strongly connected components of the steps of `past_caps`, successors first."""
    return components(
        {id: [step.target for step in after] for id, after in past_caps(structure).items()}
    )


def _past_caps(structure: GraphStructure, id: str) -> list[Onward]:
    """The redirect of a cap is taken even if the cap of its target is reached too."""
    if structure.states[id].terminal:
        return []
    steps: list[Onward] = []
    for transition in structure.out[id]:
        target, kind = transition.target, transition.kind
        if kind == "redirect":
            continue
        if structure.states[target].max_visits is None:
            steps.append(Onward(target, kind, transition, transition))
        else:
            redirects = [out for out in structure.out[target] if out.kind == "redirect"]
            steps += [Onward(out.target, kind, transition, out) for out in redirects]
    return steps


def walk_around(structure: GraphStructure, loop: Sequence[str]) -> tuple[str, ...]:
    """The shortest path into an endless loop, if there is one, and once around it from its first
    state, as transition ids."""
    inside = set(loop)
    steps = past_caps(structure)
    inner = {id: [step for step in steps[id] if step.target in inside] for id in loop}
    first = loop[0]
    there = structure.path_to(first) if first in structure.reached else ()
    return (*there, *_around(first, inner))[-MAX_WALK:]


def _around(first: str, inner: Mapping[str, Sequence[Onward]]) -> tuple[str, ...]:
    walks: dict[str, tuple[str, ...]] = {first: ()}
    waiting = deque(walks)
    while waiting:
        here = waiting.popleft()
        for step in inner[here]:
            walk = (*walks[here], *step.walk)[-MAX_WALK:]
            if step.target == first:
                return walk
            if step.target not in walks:
                walks[step.target] = walk
                waiting.append(step.target)
    return ()
