"""Rule on paths that bypass required states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.pack.findings import EVERY, Finding, rule
from workflows.core.pack.graph import Graph, Transition
from workflows.core.rules.graph_structure import (
    GraphStructure,
    reachable_from,
    structure_of,
    walk_back,
)


@rule("GR113", "warning", "Path around a required state", profiles=EVERY)
def bypass(source: Any, graph: Graph) -> Iterable[Finding]:
    """A run must visit some states of this pack before it ends, because they check the condition
    for ending. A path leads from an entry to an end without visiting one of them. Lead that path
    through one. The path shown is the shortest one."""
    structure = structure_of(graph)
    required = {id for id, state in structure.states.items() if state.required}
    if not required.intersection(structure.reached):
        return
    reached = reachable_from(
        [id for id in structure.first if id not in required],
        {id: _avoiding(structure, id, required) for id in structure.states},
    )
    for id in reached:
        if structure.states[id].terminal or structure.states[id].may_end:
            named = ", ".join(repr(one) for one in sorted(required)[:3])
            yield Finding(
                code="GR113",
                level="warning",
                message=f"A run can end in {id!r} without visiting {named}.",
                place=structure.states[id].place,
                hint="Lead every path to an end through a required state.",
                walk=walk_back(reached, id),
            )


def _avoiding(structure: GraphStructure, id: str, required: set[str]) -> list[Transition]:
    """The transitions from a state that lead to no required state. A fork takes all of its
    transitions, so one required branch is enough."""
    if structure.states[id].terminal:
        return []
    transitions = [
        transition for transition in structure.out[id] if transition.target not in required
    ]
    if any(
        transition.kind == "fork" and transition.target in required
        for transition in structure.out[id]
    ):
        return [transition for transition in transitions if transition.kind != "fork"]
    return transitions
