"""The projection: nodes as states, edges as transitions, and the offers."""

from __future__ import annotations

from collections import Counter

from workflows.core.dialects.agent_graph.edits.templates import KIND
from workflows.core.dialects.agent_graph.format.model import Capabilities, Node
from workflows.core.dialects.agent_graph.format.permissions import effective
from workflows.core.dialects.agent_graph.format.vocabulary import DEFAULT_PROVIDER
from workflows.core.dialects.agent_graph.graph.transitions import EdgeTransition
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.graph import Entry, Graph, Offer, State, Transition, TransitionKind
from workflows.core.prompts.first_line import first_line
from workflows.core.prompts.role_templates.permissions import rights_of
from workflows.core.prompts.role_templates.resolve import shipped

AGENT = "agent"
"""The kind of a node whose role is not shipped. For shipped roles, the kind is the role."""


def graph(source: GraphSource, profile: str) -> Graph:
    """The graph of a pack. An edge to an unknown node keeps its transition."""
    shape = source.shape
    reach = _reach(source)
    users = Counter(
        node.role for node in shape.nodes.values() if node.role in source.template_files
    )
    return Graph(
        dialect="agent_graph",
        profile=profile,
        name=shape.name,
        entries=(Entry(state=shape.entry),) if shape.entry else (),
        states=tuple(
            _state(source, node, reach[node.id], users[node.role]) for node in shape.nodes.values()
        ),
        transitions=tuple(
            _transition(source, transition) for transition in source.transitions.values()
        ),
    )


def kind_of(node: Node) -> str:
    role = node.role.strip().lower()
    return role if role in shipped() else AGENT


def display_name(node: Node) -> str:
    """The label, and the provider if the file sets one."""
    if node.provider == DEFAULT_PROVIDER:
        return node.label
    return f"{node.label} · {node.provider}"


def rights_at(source: GraphSource, node: Node) -> Capabilities:
    """The effective rights of a node, by template and settings."""
    role = source.role(node.role)
    return effective(node.capabilities, rights_of(role.template.header) if role else None)


def tool_count(rights: Capabilities) -> int:
    """The number of tools that a node may use. Reading, listing and handing off need no right."""
    if rights.delegate_only:
        writing = 0
    else:
        writing = 2 * (rights.write_code or rights.write_docs) + rights.run_commands
    graph_tools = {"none": 0, "self": 1, "all": 2}[rights.edge_management]
    return 3 + writing + graph_tools


def _reach(source: GraphSource) -> dict[str, set[str]]:
    """The nodes to which each node may hand off."""
    reach: dict[str, set[str]] = {id: set() for id in source.shape.nodes}
    for transition in source.transitions.values():
        reach[transition.source].add(transition.target)
    return reach


def _state(source: GraphSource, node: Node, reach: set[str], users: int) -> State:
    role = source.role(node.role)
    return State(
        id=node.id,
        kind=kind_of(node),
        name=display_name(node),
        role=node.role,
        prompt_users=users if users > 1 else 0,
        prompt=f"{KIND}:{node.role}" if role else "",
        prompt_line=first_line(role.template.body) if role else "",
        counts={"tools": tool_count(rights_at(source, node)), "agents": len(reach - {node.id})},
        may_end=True,
        place=source.place("nodes", node.index, element=f"state:{node.id}"),
    )


def _transition(source: GraphSource, transition: EdgeTransition) -> Transition:
    kind: TransitionKind = "report" if transition.edge.type == "report" else "handoff"
    return Transition(
        source=transition.source,
        target=transition.target,
        label=transition.label,
        event=transition.edge.type,
        kind=kind,
        place=source.place("edges", transition.edge.index, element=f"transition:{transition.id}"),
    )


def offers(source: GraphSource, state: str) -> tuple[Offer, ...]:
    """A task, a report, or a handoff with any other label, each to nodes without such an edge."""
    nodes = source.shape.nodes
    if state not in nodes:
        return ()
    others = [id for id in nodes if id != state]
    result: list[Offer] = []
    for kind in ("handoff", "report"):
        there = {
            transition.target
            for transition in source.transitions.values()
            if transition.source == state and transition.edge.type == kind
        }
        free = tuple(id for id in others if id not in there)
        why = "There is one already, and an agent needs none to itself."
        reason = why if others else "There is no other agent yet."
        labels = ("task", "") if kind == "handoff" else ("report",)
        drawn: TransitionKind = "report" if kind == "report" else "handoff"
        result += [
            Offer(source=state, label=label, kind=drawn, targets=free, reason=reason)
            for label in labels
        ]
    return tuple(result)
