"""Changes of the graph by agents: new nodes and new edges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.dialects.agent_graph.format.model import (
    AgentGraph,
    Capabilities,
    Edge,
    Node,
    Permissions,
)
from workflows.core.dialects.agent_graph.format.permissions import clamped, clamped_permissions
from workflows.core.dialects.agent_graph.graph.projection import display_name, kind_of, tool_count
from workflows.core.dialects.agent_graph.graph.transitions import EdgeTransition, transitions_of
from workflows.core.dialects.agent_graph.program.call_arguments import Refused
from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.fixed_prompt import SPAWNED
from workflows.core.dialects.agent_graph.program.handoffs import deliver, envelope_of
from workflows.core.dialects.agent_graph.program.node_state import Inputs, NodeState
from workflows.core.pack.findings import Place
from workflows.core.pack.graph import State, Transition, state_json, transition_json
from workflows.core.prompts.role_templates.names import RULE, is_name
from workflows.core.prompts.role_templates.resolve import resolve_all
from workflows.core.text.ascii_names import ascii_name

MAX_NAME = 60


def spawn(context: GraphContext, request: Mapping[str, Any]) -> dict[str, Any]:
    """Add a node. Its capabilities and permissions are limited by those of the calling node. Raises
    Refused."""
    check_spawn(context, request)
    role, alias = request["roleTemplate"], request.get("alias", "")
    id = _free_id(context, alias or request["label"])
    node = _made(context, id, request)
    context.set_run_value("nodes", [*context.run_value("nodes", ()), node.to_json()])
    context.set_node_state(id, NodeState(queued=Inputs()))
    context.record(
        "node_added",
        node=node.to_json(),
        parent=context.current_node.id,
        grown={"states": [_state(context, node)], "transitions": []},
    )
    instructions, value = request.get("instructions", ""), request.get("input")
    if instructions or value is not None:
        structured = {"structured": value} if value is not None else {}
        payload = {"message": instructions or SPAWNED, **structured}
        deliver(context, envelope_of(context, id, payload), label="")
    named = {"alias": alias} if alias else {}
    made = {"nodeId": id, "label": node.label, **named}
    return {**made, "roleTemplate": role, "provider": node.provider}


def check_spawn(context: GraphContext, request: Mapping[str, Any]) -> None:
    """Raise Refused for a node that cannot be added."""
    graph = context.graph
    if len(graph.nodes) >= graph.most_nodes:
        raise Refused(f"The graph has its {graph.most_nodes} nodes (limits.nodes); add no more.")
    _check_role(context, request["roleTemplate"], bool(request.get("customSystemPrompt")))
    _check_alias(graph, request.get("alias", ""))


def _check_role(context: GraphContext, role: str, has_prompt: bool) -> None:
    if not is_name(role):
        raise Refused(f"{role!r:.60} is not a valid name of a role template. {RULE}")
    if not has_prompt and context.definition.template(role) is None:
        templates = resolve_all(context.definition.pack, context.definition.stored)
        names = ", ".join(one.template.name for one in templates)
        raise Refused(f"Unknown role template {role!r}. Role templates: {names}.")


def _check_alias(graph: AgentGraph, alias: str) -> None:
    """Raises Refused for an alias that equals another alias or id, in upper or lower case."""
    taken = graph.resolve(alias) if alias else None
    for node in graph.nodes.values():
        if taken is None and alias and node.id.casefold() == alias.casefold():
            taken = node
    if taken is not None:
        raise Refused(f'alias "{alias}" is already in use by {taken.label} ({taken.id})')


def _free_id(context: GraphContext, wish: str) -> str:
    """A readable id that is neither an id nor an alias of a node, nor an id of a removed one."""
    base = ascii_name(wish).lower()[:MAX_NAME].strip("-") or "agent"
    taken = {id.casefold() for id in context.run_value("removed_nodes", ())}
    for node in context.graph.nodes.values():
        taken |= {node.id.casefold(), node.alias.casefold()}
    id, number = base, 1
    while id in taken:
        number += 1
        id = f"{base}-{number}"
    return id


def _made(context: GraphContext, id: str, request: Mapping[str, Any]) -> Node:
    parent = context.current_node
    node = Node.of(
        {
            "id": id,
            "label": request["label"][: 2 * MAX_NAME],
            "alias": request.get("alias", ""),
            "role": request["roleTemplate"],
            "provider": request["provider"],
            "model": parent.model if request["provider"] == parent.provider else "",
            "capabilities": request.get("capabilities", {}),
            "permissions": request.get("permissions", {}),
            "customSystemPrompt": request.get("customSystemPrompt", ""),
        }
    )
    assert node is not None
    capabilities: Capabilities = clamped(node.capabilities, context.definition.rights(parent))
    permissions: Permissions = clamped_permissions(node.permissions, parent.permissions)
    return replace(node, capabilities=capabilities, permissions=permissions)


def connect(context: GraphContext, request: Mapping[str, Any]) -> dict[str, Any]:
    """Add an edge. Raises Refused."""
    graph, me = context.graph, context.current_node.id
    edge = checked_edge(context, request)
    source, target = edge.source, edge.target
    context.set_run_value("edges", [*context.run_value("edges", ()), edge.to_json()])
    transitions = [_transition(transition) for transition in new_transitions(graph, context.graph)]
    id = f"{source}-{edge.type}-{target}"
    context.record(
        "edge_added",
        edge=edge.to_json(),
        by=me,
        grown={"states": [], "transitions": transitions},
    )
    return {"edgeId": id, **edge.to_json()}


def new_transitions(before: AgentGraph, after: AgentGraph) -> list[EdgeTransition]:
    """The transitions of the second graph that the first one lacks."""
    ids = {transition.id for transition in transitions_of(before)}
    return [transition for transition in transitions_of(after) if transition.id not in ids]


def checked_edge(context: GraphContext, request: Mapping[str, Any]) -> Edge:
    """The edge, if this node may add it. Raises Refused."""
    graph, me = context.graph, context.current_node.id
    source, target = _end(graph, request["from"]), _end(graph, request["to"])
    if context.definition.rights(context.current_node).edge_management == "self" and me not in (
        source,
        target,
    ):
        raise Refused("edgeManagement=self only allows edges that include the calling node")
    if source == target:
        raise Refused("An edge must connect two different nodes.")
    edge = Edge(
        source=source,
        target=target,
        type=request["type"],
        bidirectional=request["bidirectional"],
        label=request["label"],
    )
    if any(other.key == edge.key for other in graph.edges):
        raise Refused(f"There is an edge from {source} to {target} of type {edge.type} already.")
    return edge


def _end(graph: AgentGraph, name: str) -> str:
    node = graph.resolve(name)
    if node is None:
        raise Refused(f"There is no node {name!r:.60}; use an id or an alias of the known nodes.")
    return node.id


def _state(context: GraphContext, node: Node) -> dict[str, object]:
    """The node in the shape of the graph's JSON, without its prompt, which no log repeats."""
    counts = {"tools": tool_count(context.definition.rights(node)), "agents": 0}
    state = state_json(
        State(
            id=node.id,
            kind=kind_of(node),
            name=display_name(node),
            role=node.role,
            counts=counts,
            may_end=True,
            place=Place(path=""),
        )
    )
    return {name: item for name, item in state.items() if name not in ("prompt", "prompt_line")}


def _transition(transition: EdgeTransition) -> dict[str, object]:
    """The transition in the shape of the graph's JSON."""
    return transition_json(
        Transition(
            source=transition.source,
            target=transition.target,
            label=transition.label,
            event=transition.edge.type,
            kind="report" if transition.edge.type == "report" else "handoff",
            place=Place(path=""),
        )
    )
