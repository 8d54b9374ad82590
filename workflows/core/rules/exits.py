"""Rules on dead ends and loops without an exit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.pack.findings import EVERY, Finding, rule
from workflows.core.pack.graph import Graph, Transition
from workflows.core.rules.graph_structure import MAX_WALK, GraphStructure, reaching, structure_of
from workflows.core.rules.kit import count_of


@rule("GR105", "warning", "Dead end", profiles=EVERY)
def dead_end(source: Any, graph: Graph) -> Iterable[Finding]:
    """A run that reaches this state stays there: it has no outgoing transition, and no run can end
    there. Add a transition, or mark it as terminal."""
    structure = structure_of(graph)
    for id, state in structure.states.items():
        if state.terminal or state.may_end:
            continue
        if not structure.exits(id) and not _own_loop(structure, id):
            yield Finding(
                code="GR105",
                level="warning",
                message=f"{id!r} has no outgoing transition and is not an end.",
                place=state.place,
                hint="Add an outgoing transition, or mark it as terminal.",
                walk=structure.path_to(id) if id in structure.reached else (),
            )


@rule("GR106", "warning", "Transitions out of an end", profiles=EVERY)
def terminal_with_exits(source: Any, graph: Graph) -> Iterable[Finding]:
    """The state is marked as an end, so a run stops there and never takes its transitions. Remove
    the mark or the transitions."""
    structure = structure_of(graph)
    for id, state in structure.states.items():
        exits = structure.exits(id) if state.terminal else []
        if exits:
            count = count_of(len(exits), "outgoing transition")
            yield Finding(
                code="GR106",
                level="warning",
                message=f"{id!r} is an end, but it has {count}.",
                place=state.place,
                hint="Remove the transitions, or do not mark the state as terminal.",
            )


@rule("GR107", "warning", "No path to an end", profiles=EVERY)
def no_path_to_an_end(source: Any, graph: Graph) -> Iterable[Finding]:
    """No path from this state reaches an end: every run gets into a dead end or into a loop without
    an exit. The path shown is the shortest one into that trap."""
    structure = structure_of(graph)
    ends = [id for id, state in structure.states.items() if state.terminal or state.may_end]
    hopeful = reaching(ends, structure.into)
    traps = {id for loop in structure.traps for id in loop}
    onward = reaching(traps, structure.into)
    for id in structure.reached:
        if id not in hopeful and id not in traps and id in onward:
            walk = _walk(id, onward)
            yield Finding(
                code="GR107",
                level="warning",
                message=f"No path leads from {id!r} to an end.",
                place=structure.states[id].place,
                hint="Add a transition to an end, from this state or from a later one.",
                walk=walk,
            )


@rule("GR108", "warning", "Endless loop", profiles=EVERY)
def endless_loop(source: Any, graph: Graph) -> Iterable[Finding]:
    """These states lead only to each other: a run that enters the loop never leaves it, and only
    its budget ends it. The path shown leads into the loop and once around it."""
    structure = structure_of(graph)
    rank = {id: number for number, id in enumerate(structure.reached)}
    for loop in structure.traps:
        if len(loop) == 1 and not _own_loop(structure, loop[0]):
            continue
        members = sorted(loop, key=rank.__getitem__)
        first = members[0]
        named = ", ".join(repr(id) for id in members[:4]) + (", …" if len(members) > 4 else "")
        only = "leads only to itself" if len(loop) == 1 else "lead only to each other"
        yield Finding(
            code="GR108",
            level="warning",
            message=f"{named} {only}: a run never leaves.",
            place=structure.states[first].place,
            hint="Add a transition out of the loop.",
            walk=(structure.path_to(first) + structure.around(first, loop))[-MAX_WALK:],
        )


def _own_loop(structure: GraphStructure, id: str) -> bool:
    return any(transition.target == id for transition in structure.out[id])


def _walk(start: str, onward: dict[str, Transition | None]) -> tuple[str, ...]:
    walk: list[str] = []
    transition = onward[start]
    while transition is not None and len(walk) < MAX_WALK:
        walk.append(transition.id)
        transition = onward[transition.target]
    return tuple(walk)
