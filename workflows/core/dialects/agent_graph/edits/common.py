"""Shared steps of edits."""

from __future__ import annotations

from workflows.core.dialects.agent_graph.format.model import Node
from workflows.core.dialects.agent_graph.graph.transitions import EdgeTransition
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.pack.forms import Json
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText, Pointer


def need_node(source: GraphSource, id: str) -> Node:
    """The node. Raises EditRefused for an unknown id."""
    node = source.shape.nodes.get(id)
    if node is None:
        raise missing_element(f"state:{id}", kind="agent")
    return node


def need_transition(source: GraphSource, id: str) -> EdgeTransition:
    """The transition. Raises EditRefused for an unknown id."""
    transition = source.transitions.get(id)
    if transition is None:
        raise missing_element(f"transition:{id}")
    return transition


def need_free_id(source: GraphSource, id: str, but: str = "") -> None:
    """Raises EditRefused for an id that is empty, in use, or the alias of a node in upper or lower
    case. `but` is the node that is renamed."""
    others = [node for node in source.shape.nodes.values() if node.id != but]
    require_free([node.id for node in others], id, "agent")
    for node in others:
        if node.alias.casefold() == id.casefold():
            raise EditRefused(
                f"{id!r} is already the alias of {node.id!r}.",
                where=f"state:{node.id}",
                hint="Choose another id, or change that alias first.",
            )


def appended(text: JsonText, key: str, value: Json) -> JsonText:
    """The text with one more element in a top-level list, which is created if missing."""
    if isinstance(text.get((key,), None), list):
        return text.insert((key, "-"), value)
    return text.set((key,), [value])


def without(text: JsonText, base: Pointer, indexes: list[int]) -> JsonText:
    """The text without these elements of a list."""
    for index in sorted(indexes, reverse=True):
        text = text.delete((*base, index))
    return text
