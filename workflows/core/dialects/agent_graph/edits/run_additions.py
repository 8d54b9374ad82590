"""Writing of a run's changes to its graph, in the style of an author."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.dialects.agent_graph.edits.common import appended
from workflows.core.dialects.agent_graph.edits.states import remove
from workflows.core.dialects.agent_graph.edits.transitions import disconnect
from workflows.core.dialects.agent_graph.format.model import Edge, Node
from workflows.core.dialects.agent_graph.format.vocabulary import default_label
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.engine.events import Event
from workflows.core.pack.edits import Disconnect, EditRefused, RemoveState
from workflows.core.text.json.document import JsonTextError


def with_additions(source: GraphSource, log: Iterable[Event]) -> GraphSource:
    """The pack with the agents and edges that these events of a run added, without those that they
    removed. Values equal to their default are omitted. Raises EditRefused if the file does not
    accept them, or if there are none."""
    if not source.readable:
        raise EditRefused("This file is not a readable agent graph.", where=source.main)
    after = source
    try:
        for event in log:
            after = _changed(after, event)
    except JsonTextError as bad:
        raise EditRefused(f"The changes cannot be written: {bad.message}") from bad
    if after is source:
        raise EditRefused(
            "This run added no agents and no edges, and removed none.",
            hint="Its graph equals the graph of its pack.",
        )
    return after


def _changed(source: GraphSource, event: Event) -> GraphSource:
    fields = event.fields
    match event.type:
        case "agent_graph.node_added":
            node = Node.of(fields.get("node"))
            if node is not None and node.id not in source.shape.nodes:
                return source.with_text(appended(source.json, "nodes", _node(node)))
        case "agent_graph.edge_added":
            edge = Edge.of(fields.get("edge"))
            if edge is not None and edge.key not in {one.key for one in source.shape.edges}:
                return source.with_text(appended(source.json, "edges", _edge(edge)))
        case "agent_graph.node_removed" if fields["node"] in source.shape.nodes:
            return remove(source, RemoveState(id=fields["node"]))
        case "agent_graph.edge_removed" if fields.get("transition") in source.transitions:
            return disconnect(source, Disconnect(transition=fields["transition"]))
    return source


def _node(node: Node) -> dict[str, Any]:
    """One element of `nodes`, without default values."""
    plain = Node.of({"id": node.id, "role": node.role})
    assert plain is not None
    values, usual = node.to_json(), plain.to_json()
    fresh = {name: _more(values[name], usual[name]) for name in values}
    return {name: fresh[name] for name in values if values[name] != usual[name] or name in NEEDED}


NEEDED = ("id", "role")


def _more(item: Any, usual: Any) -> Any:
    if not isinstance(item, dict):
        return item
    return {name: value for name, value in item.items() if value != usual[name]}


def _edge(edge: Edge) -> dict[str, Any]:
    """One element of `edges`, without default values."""
    fresh: dict[str, Any] = {"from": edge.source, "to": edge.target}
    if edge.type != "handoff":
        fresh["type"] = edge.type
    if not edge.bidirectional:
        fresh["bidirectional"] = False
    if edge.label != default_label(edge.type):
        fresh["label"] = edge.label
    return fresh
