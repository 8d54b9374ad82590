"""Rules over edges: who may hand work to whom."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.agent_graph.format.model import Edge
from workflows.core.dialects.agent_graph.rules.kit import graph_rule, set_fix, unset_fix
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import AddState
from workflows.core.pack.findings import Fix
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.json.document import Pointer


@graph_rule("AG301", "error", "Edge at a missing agent")
def missing_end(source: GraphSource) -> Iterable[Note]:
    """An edge begins or ends at an id that no agent has: usually one that was renamed or removed,
    or an alias where an id has to stand. Nothing can pass along it. Name an agent there is, add the
    missing one, or remove the edge."""
    nodes = source.shape.nodes
    for edge in source.shape.edges:
        for key, end in (("from", edge.source), ("to", edge.target)):
            if end not in nodes:
                here = ("edges", edge.index, key)
                meant = source.shape.resolve(end)
                yield Note(
                    message=f"The edge from {edge.source!r} to {edge.target!r} names {end!r}, and "
                    "there is no such agent.",
                    pointer=here,
                    hint=f"{end!r} is an alias of {meant.id!r}; edges name ids." if meant else "",
                    fix=_repair(source, here, end, meant.id if meant else closest_name(end, nodes)),
                )


def _repair(source: GraphSource, here: Pointer, end: str, meant: str) -> Fix:
    if meant:
        return set_fix(f"Change to {meant}", here, meant)
    return make_fix(f"Add the agent {end}", AddState(id=end, kind="implementer"))


@graph_rule("AG302", "warning", "Edge stands there twice")
def repeated_edge(source: GraphSource) -> Iterable[Note]:
    """Two agents have at most one edge of each type in one direction; a second one permits nothing
    more, and which of their labels counts is anybody's guess. A two-way edge that is drawn once
    more from the other end is the same thing. Remove one of them."""
    seen: set[tuple[str, str, str]] = set()
    for edge in source.shape.edges:
        ways = _ways(edge)
        if ways <= seen:
            yield Note(
                message=f"There is a {edge.type} from {edge.source!r} to {edge.target!r} already.",
                pointer=("edges", edge.index),
                fix=unset_fix("Remove this edge", ("edges", edge.index)),
            )
        seen |= ways


def _ways(edge: Edge) -> set[tuple[str, str, str]]:
    found = {edge.key}
    if edge.bidirectional:
        found.add((edge.target, edge.source, edge.type))
    return found


@graph_rule("AG303", "warning", "Edge from an agent to itself")
def loop(source: GraphSource) -> Iterable[Note]:
    """An agent that hands work to itself is asked again with its own words, and a run that does so
    soon stalls. In AUTO an orchestrator is asked again anyway; others wait for a message. Remove
    the edge."""
    for edge in source.shape.edges:
        if edge.source == edge.target:
            yield Note(
                message=f"An edge leads from {edge.source!r} to itself.",
                pointer=("edges", edge.index),
                fix=unset_fix("Remove this edge", ("edges", edge.index)),
            )


@graph_rule("AG304", "hint", "Report from an orchestrator")
def report_from_above(source: GraphSource) -> Iterable[Note]:
    """By custom an orchestrator hands work out along a handoff and gets told along a report. This
    report begins at an orchestrator. It permits the same, but people and models read the type as
    what is meant."""
    nodes = source.shape.nodes
    for edge in source.shape.edges:
        ends = (nodes.get(edge.source), nodes.get(edge.target))
        if edge.type != "report" or not ends[0] or not ends[1]:
            continue
        if ends[0].is_orchestrator and not ends[1].is_orchestrator and not edge.bidirectional:
            here = ("edges", edge.index, "type")
            yield Note(
                message=f"{edge.source!r} leads, yet its edge to {edge.target!r} is a report.",
                pointer=here,
                fix=set_fix("Make it a handoff", here, "handoff"),
            )
