"""Writing of nodes and edges that a run added, in the style of an author."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.dialects.agent_graph.edits.common import appended
from workflows.core.dialects.agent_graph.format.model import Edge, Node
from workflows.core.dialects.agent_graph.format.vocabulary import default_label
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.engine.events import Event
from workflows.core.pack.edits import EditRefused
from workflows.core.text.json.document import JsonTextError


def with_additions(source: GraphSource, log: Iterable[Event]) -> GraphSource:
    """The pack with the agents and edges that these events of a run added. Values equal to their
    default are omitted. Raises EditRefused if the file does not accept them, or if there are
    none."""
    if not source.readable:
        raise EditRefused("This file is not a readable agent graph.", where=source.main)
    text, shape = source.json, source.shape
    ids, keys = set(shape.nodes), {edge.key for edge in shape.edges}
    try:
        for event in log:
            node = Node.of(event.fields.get("node")) if _is(event, "node_added") else None
            if node is not None and node.id not in ids:
                ids.add(node.id)
                text = appended(text, "nodes", _node(node))
            edge = Edge.of(event.fields.get("edge")) if _is(event, "edge_added") else None
            if edge is not None and edge.key not in keys:
                keys.add(edge.key)
                text = appended(text, "edges", _edge(edge))
    except JsonTextError as bad:
        raise EditRefused(f"The additions cannot be written: {bad.message}") from bad
    if text is source.json:
        raise EditRefused(
            "This run added no agents and no edges.",
            hint="Its graph equals the graph of its pack.",
        )
    return source.with_text(text)


def _is(event: Event, kind: str) -> bool:
    return event.type == f"agent_graph.{kind}"


def _node(node: Node) -> dict[str, Any]:
    """One element of `nodes`, without default values."""
    plain = Node.of({"id": node.id, "role": node.role})
    assert plain is not None
    said, usual = node.to_json(), plain.to_json()
    fresh = {name: _more(said[name], usual[name]) for name in said}
    return {name: fresh[name] for name in said if said[name] != usual[name] or name in NEEDED}


NEEDED = ("id", "role")


def _more(said: Any, usual: Any) -> Any:
    if not isinstance(said, dict):
        return said
    return {name: value for name, value in said.items() if value != usual[name]}


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
