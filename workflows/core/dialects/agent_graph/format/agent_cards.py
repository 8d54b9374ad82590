"""The agents of a graph as A2A cards, from their labels and role templates."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.agent_graph.format.model import Node
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.prompts.role_templates.header import Header, Template

PLAIN = ["text/plain"]
MAX_DESCRIPTION = 300
"""Characters of a description."""


def cards(source: GraphSource) -> dict[str, dict[str, Any]]:
    """Every node's card by its id, in file order; AgentCard of A2A 1.0, without an address."""
    return {node.id: _card(source, node) for node in source.shape.nodes.values()}


def _card(source: GraphSource, node: Node) -> dict[str, Any]:
    role = source.role(node.role)
    template = role.template if role else None
    header = (template.header if template else None) or Header()
    description = (_first_words(template) if template else "") or f"Plays the role {node.role}."
    tags = list(header.capabilities) or [node.role]
    skill = {"id": node.id, "name": node.label, "description": description, "tags": tags}
    return {
        "name": node.label,
        "description": description,
        "version": header.version or "1",
        "supportedInterfaces": [],
        "capabilities": {},
        "defaultInputModes": PLAIN,
        "defaultOutputModes": PLAIN,
        "skills": [skill],
    }


def _first_words(template: Template) -> str:
    """The first line of a template's text that is not a heading; "" without one."""
    lines = (line.strip() for line in template.body.splitlines())
    words = next((line for line in lines if line and not line.startswith("#")), "")
    return words if len(words) <= MAX_DESCRIPTION else f"{words[: MAX_DESCRIPTION - 1]}…"
