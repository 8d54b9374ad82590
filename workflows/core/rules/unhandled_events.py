"""Does every answer lead somewhere, and to one place only?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.pack.findings import Finding, rule
from workflows.core.pack.graph import Graph, Transition
from workflows.core.rules.graph_structure import Shape, shape

TOGETHER = ("fork", "join", "delegate")
"""Kinds of which several may share an event: all of them are taken, or none by an event."""


@rule("GR110", "warning", "Event handled twice")
def handled_twice(source: Any, graph: Graph) -> Iterable[Finding]:
    """Two arrows leave this state for the same event and the same value, towards different states.
    Only the first is ever taken; the second one is dead. Give it an event of its own, or remove
    it. The walk shown takes the first arrow."""
    found = shape(graph)
    for arrows in found.out.values():
        for first, second in _doubles(arrows):
            yield Finding(
                code="GR110",
                level="warning",
                message=f"{second.source!r} handles {_called(second)} twice: "
                f"the arrow to {second.target!r} is never taken.",
                place=second.place,
                hint=f"The arrow to {first.target!r} comes first. Remove one of the two, or let "
                "them answer to different events.",
                walk=_walk(found, first),
            )


@rule("GR111", "warning", "Arrow in the shadow of another")
def shadowed(source: Any, graph: Graph) -> Iterable[Finding]:
    """This arrow is taken for one value of an event, but an arrow before it is taken for any value
    of the same event, so its turn never comes. Put the general arrow last. The walk shown takes
    the arrow that is in the way."""
    found = shape(graph)
    for arrows in found.out.values():
        for general, special in _shadows(arrows):
            yield Finding(
                code="GR111",
                level="warning",
                message=f"In {special.source!r}, {_called(general)} is taken for any value, so "
                f"{special.label!r} to {special.target!r} never has its turn.",
                place=special.place,
                hint="Put the arrow for any value behind those for one value.",
                walk=_walk(found, general),
            )


@rule("GR112", "warning", "Answer that nothing handles")
def never_handled(source: Any, graph: Graph) -> Iterable[Finding]:
    """Whoever works in this state may answer with this event, but no arrow is taken for it: a run
    that gets this answer has nowhere to go. Draw an arrow for it, or do not offer it. The walk
    shown leads to the state."""
    found = shape(graph)
    for id, state in found.states.items():
        if not state.answers or state.terminal:
            continue
        handled = {arrow.event or arrow.label for arrow in found.out[id]}
        for event in dict.fromkeys(state.answers):
            if event not in handled and not _any_event(found.out[id]):
                yield Finding(
                    code="GR112",
                    level="warning",
                    message=f"{id!r} may answer {event!r}, and no arrow is taken for it.",
                    place=state.place,
                    hint=f"Draw an arrow for {event!r}, or take it out of what may be answered.",
                    walk=found.way_to(id) if id in found.came else (),
                )


def _doubles(arrows: list[Transition]) -> Iterator[tuple[Transition, Transition]]:
    seen: dict[tuple[str, str | None], Transition] = {}
    for arrow in arrows:
        if arrow.kind in TOGETHER or not arrow.event:
            continue
        first = seen.setdefault((arrow.event, arrow.value), arrow)
        if first is not arrow and first.target != arrow.target:
            yield first, arrow


def _shadows(arrows: list[Transition]) -> Iterator[tuple[Transition, Transition]]:
    general: dict[str, Transition] = {}
    for arrow in arrows:
        if arrow.kind not in ("event", "conditional") or not arrow.event:
            continue
        if arrow.value is None:
            general.setdefault(arrow.event, arrow)
        elif arrow.event in general:
            yield general[arrow.event], arrow


def _any_event(arrows: list[Transition]) -> bool:
    """Whether an arrow is taken whatever was answered."""
    return any(arrow.kind in ("fallback", "fork") or not arrow.event for arrow in arrows)


def _called(arrow: Transition) -> str:
    return repr(arrow.event) if arrow.value is None else f"{arrow.event!r} = {arrow.value!r}"


def _walk(found: Shape, arrow: Transition) -> tuple[str, ...]:
    return (*found.way_to(arrow.source), arrow.id) if arrow.source in found.came else ()
