"""Rules over edges: who may hand work to whom."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.agent_graph.format.model import Edge
from workflows.core.dialects.agent_graph.rules.kit import graph_rule, set_fix, unset_fix
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import AddState
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import closest_name, did_you_mean
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.json.document import Pointer


@graph_rule("AG301", "error", "Edge to a missing agent", profiles=EVERY)
def missing_end(source: GraphSource) -> Iterable[Note]:
    """An edge has an end that is not the id of an agent: usually an agent that was renamed or
    removed, or an alias instead of an id. No handoff can use this edge. Name an existing agent, add
    the missing one, or remove the edge."""
    nodes = source.shape.nodes
    for edge in source.shape.edges:
        for key, end in (("from", edge.source), ("to", edge.target)):
            if end not in nodes:
                here = ("edges", edge.index, key)
                meant = source.shape.resolve(end)
                yield Note(
                    message=f"The edge from {edge.source!r} to {edge.target!r} names the missing "
                    f"agent {end!r}.",
                    pointer=here,
                    hint=f"{end!r} is an alias of {meant.id!r}; edges name ids."
                    if meant
                    else did_you_mean(end, nodes),
                    fix=_repair(source, here, end, meant.id if meant else closest_name(end, nodes)),
                )


def _repair(source: GraphSource, here: Pointer, end: str, meant: str) -> Fix:
    if meant:
        return set_fix(f"Change to {meant}", here, meant)
    return make_fix(f"Add agent {end}", AddState(id=end, kind="implementer"))


@graph_rule("AG302", "warning", "Duplicate edge", profiles=EVERY)
def repeated_edge(source: GraphSource) -> Iterable[Note]:
    """Two agents have at most one edge of each type in one direction. A second one permits nothing
    more, and its label may not apply. A two-way edge duplicates the edge in the other direction
    too. Remove one of them."""
    earlier: set[tuple[str, str, str]] = set()
    for edge in source.shape.edges:
        directions = _directions(edge)
        if directions <= earlier:
            yield Note(
                message=f"The {edge.type} from {edge.source!r} to {edge.target!r} exists twice.",
                pointer=("edges", edge.index),
                fix=unset_fix("Remove this edge", ("edges", edge.index)),
            )
        earlier |= directions


def _directions(edge: Edge) -> set[tuple[str, str, str]]:
    result = {edge.key}
    if edge.bidirectional:
        result.add((edge.target, edge.source, edge.type))
    return result


@graph_rule("AG303", "warning", "Edge from an agent to itself", profiles=EVERY)
def loop(source: GraphSource) -> Iterable[Note]:
    """An agent that hands work to itself gets its own text again, and such a run soon stalls. In
    AUTO, an orchestrator gets further turns anyway; other agents wait for a message. Remove the
    edge."""
    for edge in source.shape.edges:
        if edge.source == edge.target:
            yield Note(
                message=f"An edge leads from {edge.source!r} to itself. Remove it.",
                pointer=("edges", edge.index),
                fix=unset_fix("Remove this edge", ("edges", edge.index)),
            )


@graph_rule("AG304", "hint", "Report from an orchestrator", profiles=EVERY)
def report_from_above(source: GraphSource) -> Iterable[Note]:
    """By convention, an orchestrator delegates along handoffs and receives reports. This
    report starts at an orchestrator. It permits the same as a handoff, but people and models read
    its type as a report."""
    nodes = source.shape.nodes
    for edge in source.shape.edges:
        ends = (nodes.get(edge.source), nodes.get(edge.target))
        if edge.type != "report" or not ends[0] or not ends[1]:
            continue
        if ends[0].is_orchestrator and not ends[1].is_orchestrator and not edge.bidirectional:
            here = ("edges", edge.index, "type")
            yield Note(
                message=f"The orchestrator {edge.source!r} has a report to {edge.target!r}.",
                pointer=here,
                fix=set_fix("Change to handoff", here, "handoff"),
            )
