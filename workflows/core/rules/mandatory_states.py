"""Rule on paths that bypass required states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.pack.findings import EVERY, Finding, rule
from workflows.core.pack.graph import Graph, Transition
from workflows.core.rules.graph_structure import Shape, reachable_from, shape, walk_back


@rule("GR113", "warning", "Path around a required state", profiles=EVERY)
def bypass(source: Any, graph: Graph) -> Iterable[Finding]:
    """A run must visit some states of this pack before it ends, because they check the condition
    for ending. A path leads from an entry to an end without visiting one of them. Lead that path
    through one. The path shown is the shortest one."""
    found = shape(graph)
    required = {id for id, state in found.states.items() if state.required}
    if not required.intersection(found.came):
        return
    came = reachable_from(
        [id for id in found.first if id not in required],
        {id: _avoiding(found, id, required) for id in found.states},
    )
    for id in came:
        if found.states[id].terminal or found.states[id].may_end:
            named = ", ".join(repr(one) for one in sorted(required)[:3])
            yield Finding(
                code="GR113",
                level="warning",
                message=f"A run can end in {id!r} without visiting {named}.",
                place=found.states[id].place,
                hint="Lead every path to an end through a required state.",
                walk=walk_back(came, id),
            )


def _avoiding(found: Shape, id: str, required: set[str]) -> list[Transition]:
    """The transitions from a state that lead to no required state. A fork takes all of its
    transitions, so one required branch is enough."""
    if found.states[id].terminal:
        return []
    arrows = [arrow for arrow in found.out[id] if arrow.target not in required]
    if any(arrow.kind == "fork" and arrow.target in required for arrow in found.out[id]):
        return [arrow for arrow in arrows if arrow.kind != "fork"]
    return arrows
