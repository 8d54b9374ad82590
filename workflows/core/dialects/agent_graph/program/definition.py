"""What a run of an agent graph is given: the graph as its author wrote it, and the templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workflows.core.dialects.agent_graph.format.model import AgentGraph, Capabilities, Node
from workflows.core.dialects.agent_graph.format.permissions import effective
from workflows.core.prompts.role_templates.names import is_name
from workflows.core.prompts.role_templates.permissions import rights_of
from workflows.core.prompts.role_templates.resolve import Resolved, resolve


@dataclass(frozen=True, kw_only=True)
class GraphDefinition:
    """`pack` and `stored` are template files by name: the pack's own, and those of the server.
    `mode`: the one that the run was started in, "" where that is left to the graph."""

    graph: AgentGraph
    pack: Mapping[str, str | bytes] = field(default_factory=dict)
    stored: Mapping[str, str | bytes] = field(default_factory=dict)
    mode: str = ""

    def template(self, role: str) -> Resolved | None:
        """The template that a role names; None for no such template, and for what is no name."""
        return resolve(role.strip(), self.pack, self.stored) if is_name(role.strip()) else None

    def rights(self, node: Node) -> Capabilities:
        """What a node may really do: its settings within what its role's template declares, also
        where it has a prompt of its own."""
        found = self.template(node.role)
        return effective(node.capabilities, rights_of(found.template.header) if found else None)

    def role_text(self, node: Node) -> str:
        """The role block: the node's own prompt, else its template, verbatim."""
        if node.custom_system_prompt:
            return node.custom_system_prompt
        found = self.template(node.role)
        return found.template.text if found else f"Role template not found: {node.role}"
