"""Rules on events that no transition, or more than one, handles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.pack.findings import EVERY, Finding, rule
from workflows.core.pack.graph import Graph, Transition
from workflows.core.rules.graph_structure import GraphStructure, structure_of

TOGETHER = ("fork", "join", "delegate")
"""Kinds of transitions that may share an event: all are taken, or none is taken by an event."""


@rule("GR110", "warning", "Event handled twice", profiles=EVERY)
def handled_twice(source: Any, graph: Graph) -> Iterable[Finding]:
    """Two transitions of this state have the same event and the same value, but different targets.
    Only the first is ever taken. Give the second one an event of its own, or remove it. The path
    shown takes the first transition."""
    structure = structure_of(graph)
    for transitions in structure.out.values():
        for first, second in _doubles(transitions):
            yield Finding(
                code="GR110",
                level="warning",
                message=f"{second.source!r} handles {_called(second)} twice: "
                f"the transition to {second.target!r} is never taken.",
                place=second.place,
                hint=f"The transition to {first.target!r} comes first. Remove one of the "
                "two, or give them different events.",
                walk=_walk(structure, first),
            )


@rule("GR111", "warning", "Transition hidden by another", profiles=EVERY)
def shadowed(source: Any, graph: Graph) -> Iterable[Finding]:
    """This transition handles one value of an event, but an earlier transition handles every value
    of the same event, so this one is never taken. Move the general transition to the end. The path
    shown takes the general transition."""
    structure = structure_of(graph)
    for transitions in structure.out.values():
        for general, special in _shadows(transitions):
            yield Finding(
                code="GR111",
                level="warning",
                message=f"In {special.source!r}, a transition handles every value of "
                f"{_called(general)}, so {special.label!r} to {special.target!r} is never taken.",
                place=special.place,
                hint="Move the transition for every value behind those for one value.",
                walk=_walk(structure, general),
            )


@rule("GR112", "warning", "Unhandled answer", profiles=EVERY)
def never_handled(source: Any, graph: Graph) -> Iterable[Finding]:
    """The answer of this state may be this event, but no transition handles it: a run with this
    answer cannot continue. Add a transition for it, or remove it from the possible answers. The
    path shown leads to the state."""
    structure = structure_of(graph)
    for id, state in structure.states.items():
        if not state.answers or state.terminal:
            continue
        handled = {transition.event or transition.label for transition in structure.out[id]}
        for event in dict.fromkeys(state.answers):
            if event not in handled and not _any_event(structure.out[id]):
                yield Finding(
                    code="GR112",
                    level="warning",
                    message=f"{id!r} may answer {event!r}, which no transition handles.",
                    place=state.place,
                    hint=f"Add a transition for {event!r}, or remove it from the possible answers.",
                    walk=structure.path_to(id) if id in structure.reached else (),
                )


def _doubles(transitions: list[Transition]) -> Iterator[tuple[Transition, Transition]]:
    firsts: dict[tuple[str, str | None], Transition] = {}
    for transition in transitions:
        if transition.kind in TOGETHER or not transition.event:
            continue
        first = firsts.setdefault((transition.event, transition.value), transition)
        if first is not transition and first.target != transition.target:
            yield first, transition


def _shadows(transitions: list[Transition]) -> Iterator[tuple[Transition, Transition]]:
    general: dict[str, Transition] = {}
    for transition in transitions:
        if transition.kind not in ("event", "conditional") or not transition.event:
            continue
        if transition.value is None:
            general.setdefault(transition.event, transition)
        elif transition.event in general:
            yield general[transition.event], transition


def _any_event(transitions: list[Transition]) -> bool:
    """True if a transition handles every answer."""
    return any(
        transition.kind in ("fallback", "fork") or not transition.event
        for transition in transitions
    )


def _called(transition: Transition) -> str:
    return (
        repr(transition.event)
        if transition.value is None
        else f"{transition.event!r} = {transition.value!r}"
    )


def _walk(structure: GraphStructure, transition: Transition) -> tuple[str, ...]:
    return (
        (*structure.path_to(transition.source), transition.id)
        if transition.source in structure.reached
        else ()
    )
