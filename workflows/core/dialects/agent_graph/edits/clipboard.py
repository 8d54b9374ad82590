"""Copying and pasting of agents."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.agent_graph.edits.common import appended, need_node
from workflows.core.dialects.agent_graph.edits.templates import text_of, with_texts
from workflows.core.dialects.agent_graph.format.model import Edge, Node, mapping
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import EditRefused, Paste
from workflows.core.pack.naming import numbered_name
from workflows.core.prompts.role_templates.names import is_name
from workflows.core.text.tolerant import as_list


def copy(source: GraphSource, states: tuple[str, ...]) -> dict[str, Any]:
    """These agents, the edges between them, and the pack's templates that they use."""
    nodes = [need_node(source, id) for id in states]
    chosen = {node.id for node in nodes}
    edges = [edge for edge in source.shape.edges if {edge.source, edge.target} <= chosen]
    text = source.json
    return {
        "dialect": "agent_graph",
        "nodes": [dict(text.get(("nodes", node.index))) for node in nodes],
        "edges": [dict(text.get(("edges", edge.index))) for edge in edges],
        "templates": {
            node.role: source.templates[node.role].text
            for node in nodes
            if node.role in source.templates
        },
    }


def paste(source: GraphSource, edit: Paste) -> GraphSource:
    """Append the copied agents. Existing ids, aliases and template names get a number. A template
    of the same text is reused only if no agent has it."""
    fragment = mapping(edit.fragment)
    if fragment.get("dialect") != "agent_graph":
        raise EditRefused("This was not copied from an agent graph.")
    items = as_list(fragment.get("nodes"))
    nodes = [(dict(item), node) for item in items if (node := Node.of(item))]
    if not nodes:
        raise EditRefused("The copied data has no agents.")
    source, roles = _with_templates(source, mapping(fragment.get("templates")))
    text = source.json
    names = {id.casefold() for id in source.shape.nodes}
    names |= {node.alias.casefold() for node in source.shape.nodes.values() if node.alias}
    ids: dict[str, str] = {}
    for fields, node in nodes:
        ids[node.id] = _free(node.id, names)
        fields["id"] = ids[node.id]
        if node.role in roles:
            fields["role"] = roles[node.role]
        if node.alias:
            same = node.alias.casefold() == fields["id"].casefold()
            fields["alias"] = node.alias if same else _free(node.alias, names)
        text = appended(text, "nodes", fields)
    for item in as_list(fragment.get("edges")):
        edge = Edge.of(item)
        if edge is not None and edge.source in ids and edge.target in ids:
            ends = {"from": ids[edge.source], "to": ids[edge.target]}
            text = appended(text, "edges", {**dict(item), **ends})
    return source.with_text(text)


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number if it exists in upper or lower case. Adds the result to `taken`."""
    candidate, number = name, 2
    while candidate.casefold() in taken:
        candidate, number = f"{name}-{number}", number + 1
    taken.add(candidate.casefold())
    return candidate


def _with_templates(source: GraphSource, texts: Any) -> tuple[GraphSource, dict[str, str]]:
    """The pack with these templates, and their names there."""
    roles: dict[str, str] = {}
    used = {node.role for node in source.shape.nodes.values()}
    taken = set(source.template_files)
    added: dict[str, str] = {}
    for name, text in texts.items():
        if not isinstance(text, str) or not is_name(name):
            continue
        there = source.templates.get(name)
        same = added.get(name, there.text if there is not None else None) == text
        if same and name not in used:
            continue
        roles[name] = numbered_name(name, taken)
        taken.add(roles[name])
        added[roles[name]] = text_of(roles[name], text)
    return (with_texts(source, added) if added else source), roles
