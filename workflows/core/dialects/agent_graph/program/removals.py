"""Removal of nodes and edges from the graph of a run, by people. The pack keeps them."""

from __future__ import annotations

from dataclasses import replace

from workflows.core.dialects.agent_graph.format.model import AgentGraph, Edge
from workflows.core.dialects.agent_graph.graph.transitions import EdgeTransition, transitions_of
from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.definition import GraphDefinition
from workflows.core.dialects.agent_graph.program.graph_changes import new_transitions
from workflows.core.dialects.agent_graph.program.interruption import interrupt
from workflows.core.dialects.agent_graph.program.node_state import make_message
from workflows.core.engine.program import Enter, ExternalOutcome
from workflows.core.engine.run import RunState

REMOVE_NODE = "remove_node:"
"""Before the id of a node: the event that removes it, with its edges."""
REMOVE_EDGE = "remove_edge:"
"""Before the id of a transition: the event that removes it. A two-way edge keeps its other way."""


def remove_node(definition: GraphDefinition, run: RunState, id: str) -> ExternalOutcome | None:
    """Remove a node. Its turn ends, its inputs are dropped, and the orchestrator gets a message.
    The last node stays."""
    there = next((place for place in run.positions if place.state == id), None)
    context = GraphContext(definition, run, there)
    before = context.graph
    node = before.nodes.get(id)
    if node is None or len(before.nodes) == 1:
        return None
    if there is not None:
        interrupt(context, standing="stopped")
    touching = [edge for edge in before.edges if id in (edge.source, edge.target)]
    _keep(context, [edge for edge in before.edges if edge not in touching])
    context.set_run_value("removed_nodes", [*context.run_value("removed_nodes", ()), id])
    for edge in touching:
        context.record("edge_removed", edge=edge.to_json())
    context.record(
        "node_removed",
        node=id,
        shrunk={"states": [id], "transitions": _gone(before, context.graph)},
    )
    lead = context.lead()
    if lead:
        note = f"A person removed {node.label} ({id}) from the team."
        context.queue(lead, message=make_message(note, role="system"))
    return ExternalOutcome(
        drafts=context.drafts(),
        beside=_successor(context, lead),
        again=(there.id,) if there is not None else _asking_again(run),
    )


def remove_edge(
    definition: GraphDefinition, run: RunState, transition: str
) -> ExternalOutcome | None:
    """Remove one direction of an edge."""
    context = GraphContext(definition, run)
    before = context.graph
    removed = next((one for one in transitions_of(before) if one.id == transition), None)
    if removed is None:
        return None
    kept = (_rest(removed) if edge is removed.edge else edge for edge in before.edges)
    _keep(context, [edge for edge in kept if edge is not None])
    context.record(
        "edge_removed",
        edge=removed.edge.to_json(),
        transition=transition,
        shrunk={"states": [], "transitions": _gone(before, context.graph)},
    )
    return ExternalOutcome(drafts=context.drafts())


def _keep(context: GraphContext, edges: list[Edge]) -> None:
    context.set_run_value("kept_edges", [edge.to_json() for edge in edges])
    context.set_run_value("edges", [])


def _rest(transition: EdgeTransition) -> Edge | None:
    """The edge without this direction."""
    edge = transition.edge
    if not edge.bidirectional or edge.source == edge.target:
        return None
    if transition.back:
        return replace(edge, bidirectional=False)
    return replace(edge, source=edge.target, target=edge.source, bidirectional=False)


def _gone(before: AgentGraph, after: AgentGraph) -> list[str]:
    return [transition.id for transition in new_transitions(after, before)]


def _successor(context: GraphContext, lead: str) -> tuple[Enter, ...]:
    """The orchestrator gets a turn for the message, unless it has one. Without an orchestrator, the
    first node replaces the last active one, so that the run has a position."""
    active = context.active_nodes()
    if lead and lead not in active and (not active or context.node_state(lead).standing == "idle"):
        return (Enter(state=lead, memory=(("phase", "leave"),)),)
    if not active and not lead:
        return (Enter(state=next(iter(context.graph.nodes)), memory=(("phase", "leave"),)),)
    return ()


def _asking_again(run: RunState) -> tuple[str, ...]:
    """The positions that ask a person how to continue: the question lists all nodes."""
    return tuple(place.id for place in run.positions if place.memory.get("phase") == "idle")
