"""Rules on entries, missing states and unreachable states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.pack.findings import EVERY, Finding, Place, rule
from workflows.core.pack.graph import Graph
from workflows.core.rules.graph_structure import structure_of


@rule("GR101", "error", "No entry", profiles=EVERY)
def no_entry(source: Any, graph: Graph) -> Iterable[Finding]:
    """A run starts at an entry. This pack has states, but none of them is marked as the entry, so
    no run can start. Mark a state as entry."""
    structure = structure_of(graph)
    if structure.states and not graph.entries:
        first = next(iter(structure.states.values()))
        yield Finding(
            code="GR101",
            level="error",
            message=f"None of the {len(structure.states)} states is marked as the entry.",
            place=first.place,
            hint="Mark the state that a run should start in.",
        )


@rule("GR102", "error", "Entry leads nowhere", profiles=EVERY)
def missing_entry(source: Any, graph: Graph) -> Iterable[Finding]:
    """The entry names a state that is not in the pack: usually a state that was renamed or removed.
    A run cannot start there."""
    ids = {state.id for state in graph.states}
    for entry in graph.entries:
        if entry.state not in ids:
            called = f"The entry {entry.key!r}" if entry.key else "The entry"
            yield Finding(
                code="GR102",
                level="error",
                message=f"{called} names the missing state {entry.state!r}.",
                place=graph.states[0].place if graph.states else Place(),
                hint="Name an existing state, or add one with this name.",
            )


@rule("GR103", "error", "Transition to a missing state", profiles=EVERY)
def missing_target(source: Any, graph: Graph) -> Iterable[Finding]:
    """The target of a transition is not in the pack. A run that takes it fails there. Change the
    target to an existing state, add the missing one, or remove the transition."""
    for transition in structure_of(graph).missing:
        yield Finding(
            code="GR103",
            level="error",
            message=f"{transition.label!r} leads from {transition.source!r} to the missing state "
            f"{transition.target!r}.",
            place=transition.place,
            hint=f"Add the state {transition.target!r}, or change the target to an existing one.",
        )


@rule("GR104", "warning", "Unreachable state", profiles=EVERY)
def unreachable(source: Any, graph: Graph) -> Iterable[Finding]:
    """No path leads from an entry to this state, so no run ever reaches it. Add a transition to it,
    mark it as an entry, or remove it."""
    structure = structure_of(graph)
    if not structure.first:
        return
    for id, state in structure.states.items():
        if id not in structure.reached:
            yield Finding(
                code="GR104",
                level="warning",
                message=f"No run can reach {id!r}.",
                place=state.place,
                hint="Add a transition to it from a reachable state, or remove it.",
            )
