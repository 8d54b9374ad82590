"""The definition of a run: the author's graph and the role templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from workflows.core.dialects.agent_graph.format.model import AgentGraph, Capabilities, Node
from workflows.core.dialects.agent_graph.format.permissions import effective
from workflows.core.prompts.role_templates.names import is_name
from workflows.core.prompts.role_templates.permissions import rights_of
from workflows.core.prompts.role_templates.resolve import Resolved, resolve


@dataclass(frozen=True, kw_only=True)
class GraphDefinition:
    """`pack` and `stored` are template files by name, of the pack and of the server. `mode` is the
    mode with which the run was started, "" for the graph's own."""

    graph: AgentGraph
    pack: Mapping[str, str | bytes] = field(default_factory=dict)
    stored: Mapping[str, str | bytes] = field(default_factory=dict)
    mode: str = ""

    def template(self, role: str) -> Resolved | None:
        """The template of a role; None for an unknown or invalid name."""
        name = role.strip()
        if not is_name(name):
            return None
        if name not in self._templates:
            self._templates[name] = resolve(name, self.pack, self.stored)
        return self._templates[name]

    @cached_property
    def _templates(self) -> dict[str, Resolved | None]:
        """Templates by role, each parsed once."""
        return {}

    def rights(self, node: Node) -> Capabilities:
        """The effective rights of a node: its settings, limited by its role's template, even with a
        prompt of its own."""
        template = self.template(node.role)
        return effective(
            node.capabilities, rights_of(template.template.header) if template else None
        )

    def role_text(self, node: Node) -> str:
        """The role block: the node's own prompt, else its template, unchanged."""
        if node.custom_system_prompt:
            return node.custom_system_prompt
        template = self.template(node.role)
        return template.template.text if template else f"Role template not found: {node.role}"
