"""Can a run end without having passed what it has to pass?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.pack.findings import Finding, rule
from workflows.core.pack.graph import Graph, Transition
from workflows.core.rules.graph_structure import Shape, reachable_from, shape, walk_back


@rule("GR113", "warning", "Way around a required state")
def bypass(source: Any, graph: Graph) -> Iterable[Finding]:
    """Some states of this pack have to be passed before a run ends, because what they check is the
    condition for ending. A walk leads from an entry to an end without passing one of them. Lead
    that walk through one. The walk shown is the shortest such way around."""
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
                message=f"A run can end in {id!r} without passing {named}.",
                place=found.states[id].place,
                hint="Lead every way to an end through a required state.",
                walk=walk_back(came, id),
            )


def _avoiding(found: Shape, id: str, required: set[str]) -> list[Transition]:
    """The arrows on which a walk from here passes none of the required states. A fork takes all
    of its arrows, so one required branch is enough."""
    if found.states[id].terminal:
        return []
    arrows = [arrow for arrow in found.out[id] if arrow.target not in required]
    if any(arrow.kind == "fork" and arrow.target in required for arrow in found.out[id]):
        return [arrow for arrow in arrows if arrow.kind != "fork"]
    return arrows
