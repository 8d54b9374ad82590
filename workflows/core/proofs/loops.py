"""Can a run go round for ever?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from workflows.core.findings import Finding, rule
from workflows.core.graph import Graph, Transition
from workflows.core.proofs.shape import LONGEST_WALK, Shape, components, shape

Out = dict[str, list[Transition]]


@rule("GR109", "warning", "Loop without a bound")
def unbounded_loop(source: Any, graph: Graph) -> Iterable[Finding]:
    """A run can go round this loop as often as it likes: no cap on visits stops it, and the pack
    has no budget of visits. A model that never makes up its mind then runs until somebody stops
    it. A cap whose way out leads back into the loop does not bound it either. Cap one of the
    states, or give the pack a budget. The walk shown leads into the loop and once around it."""
    if graph.most_visits is not None:
        return
    found = shape(graph)
    trapped = {id for loop in found.traps for id in loop}
    for loop in endless(found):
        first = loop[0]
        if first in trapped or first not in found.came:
            continue
        named = ", ".join(repr(id) for id in loop[:4]) + (", …" if len(loop) > 4 else "")
        capped = [id for id, state in found.states.items() if state.max_visits is not None]
        yield Finding(
            code="GR109",
            level="warning",
            message=f"Nothing bounds how often a run goes round {named}.",
            place=found.states[first].place,
            hint="Cap the visits of one of these states, or give the pack a budget.",
            walk=(found.way_to(first) + found.around(first, [*loop, *capped]))[-LONGEST_WALK:],
        )


@lru_cache(maxsize=2)
def endless(found: Shape) -> tuple[list[str], ...]:
    """The loops that runs may go round any number of times, each in the order in which runs come
    to its states, the first reached first."""
    free = {id: past_caps(found, id) for id in found.states if is_free(found, id)}
    rank = {id: number for number, id in enumerate(found.came)}
    loops = [
        sorted(part, key=lambda id: (rank.get(id, len(rank)), id))
        for part in components(free)
        if is_loop(free, part)
    ]
    return tuple(sorted(loops, key=lambda loop: (rank.get(loop[0], len(rank)), loop[0])))


def is_loop(out: Out, part: list[str]) -> bool:
    """Whether a component is more than one state without an arrow to itself."""
    return len(part) > 1 or any(arrow.target == part[0] for arrow in out[part[0]])


def past_caps(found: Shape, id: str) -> list[Transition]:
    """The arrows from here to states without a cap. Past its cap, an arrow into a state goes where
    the cap's way out leads."""
    return [other for arrow in found.out[id] for other in _past_the_cap(found, arrow)]


def is_free(found: Shape, id: str) -> bool:
    """Whether a run may enter the state any number of times, and leave it."""
    return found.states[id].max_visits is None and not found.states[id].terminal


def _past_the_cap(found: Shape, arrow: Transition) -> list[Transition]:
    if is_free(found, arrow.target):
        return [arrow]
    return [
        replace(arrow, target=out.target)
        for out in found.out[arrow.target]
        if out.kind == "redirect" and is_free(found, out.target)
    ]
