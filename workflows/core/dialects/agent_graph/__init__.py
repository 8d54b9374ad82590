"""Agent graphs: one `*.agents.json` with agents and edges, and role templates. See README.md."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.agent_graph import edits, recognise, samples, source
from workflows.core.dialects.agent_graph.convert import CONVERTER
from workflows.core.dialects.agent_graph.convert.exports import EXPORTS
from workflows.core.dialects.agent_graph.edits.run_additions import with_additions
from workflows.core.dialects.agent_graph.edits.states import PALETTE
from workflows.core.dialects.agent_graph.format import agent_cards
from workflows.core.dialects.agent_graph.forms import elements
from workflows.core.dialects.agent_graph.graph import projection
from workflows.core.dialects.agent_graph.program.call_permissions import (
    BINDINGS,
    declared_approvals,
    workspace_specs,
)
from workflows.core.dialects.agent_graph.program.definition import GraphDefinition
from workflows.core.dialects.agent_graph.program.program import program
from workflows.core.dialects.agent_graph.rules import CAUSES, COVERED, RULES
from workflows.core.dialects.agent_graph.schemas import schema
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.dialects.base import Dialect, EditorSchema, ExportFormat, NameField
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.findings import Rule
from workflows.core.pack.forms import ElementPlace, Form, PaletteItem
from workflows.core.pack.graph import Offer
from workflows.core.tools.call_approvals import CallApproval


class AgentGraphs(Dialect):
    """The dialect; `workflows.core.dialects.base.Dialect` describes each method."""

    name = "agent_graph"
    label = "Agent graph"
    profiles: tuple[str, ...] = ("documented",)
    file_names: tuple[str, ...] = ("team.json",)
    name_fields = (NameField(of="name", element="pack", key="name"),)
    covers = COVERED
    causes = CAUSES
    converter = CONVERTER
    bindings = BINDINGS
    dynamic = True
    editor_schemas = (
        EditorSchema(name="agent-graph", patterns=(f"*{recognise.ENDING}",), make=schema),
    )

    recognises = staticmethod(recognise.recognises)
    read = staticmethod(source.read)
    graph = staticmethod(projection.graph)

    def offers(self, source: GraphSource, state: str, profile: str) -> tuple[Offer, ...]:
        return projection.offers(source, state)

    def palette(self) -> tuple[PaletteItem, ...]:
        return PALETTE

    outline = staticmethod(elements.outline)

    def fields(self, source: GraphSource, element: str, profile: str) -> Form:
        return elements.form(source, element)

    def element_place(self, source: GraphSource, element: str, profile: str) -> ElementPlace:
        return elements.element_place(source, element)

    def rules(self) -> Iterable[Rule]:
        return RULES

    apply = staticmethod(edits.apply)
    copy = staticmethod(edits.copy)
    with_additions = staticmethod(with_additions)
    program = staticmethod(program)

    def exports(self) -> tuple[ExportFormat, ...]:
        return EXPORTS

    def tools(self, source: GraphSource) -> tuple[ToolSpec, ...]:
        return workspace_specs()

    def call_approvals(self, source: GraphSource) -> tuple[CallApproval, ...]:
        definition = GraphDefinition(graph=source.shape, pack=source.template_bytes)
        return declared_approvals(source.shape.nodes.values(), definition.rights)

    cards = staticmethod(agent_cards.cards)
    samples = staticmethod(samples.samples)


DIALECT: Dialect = AgentGraphs()
