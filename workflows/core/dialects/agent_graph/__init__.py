"""Agent graphs: one `*.agents.json` with agents and edges, and role templates. See README.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workflows.core.dialects.agent_graph import recognise
from workflows.core.dialects.agent_graph.format.vocabulary import BINDINGS
from workflows.core.dialects.agent_graph.rules import CAUSES, COVERED
from workflows.core.dialects.agent_graph.schemas import schema
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.dialects.base import Dialect, EditorSchema, NameField
from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.events import Event
from workflows.core.pack.forms import ElementPlace, Form, Json, PaletteItem, Section
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
    bindings = BINDINGS
    dynamic = True
    editor_schemas = (
        EditorSchema(name="agent-graph", patterns=(f"*{recognise.ENDING}",), make=schema),
    )

    def offers(self, source: GraphSource, state: str, profile: str) -> tuple[Offer, ...]:
        from workflows.core.dialects.agent_graph.graph import projection

        return projection.offers(source, state)

    def palette(self) -> tuple[PaletteItem, ...]:
        from workflows.core.dialects.agent_graph.edits.states import PALETTE

        return PALETTE

    def outline(self, source: GraphSource) -> tuple[Section, ...]:
        from workflows.core.dialects.agent_graph.forms import elements

        return elements.outline(source)

    def fields(self, source: GraphSource, element: str, profile: str) -> Form:
        from workflows.core.dialects.agent_graph.forms import elements

        return elements.form(source, element)

    def element_place(self, source: GraphSource, element: str, profile: str) -> ElementPlace:
        from workflows.core.dialects.agent_graph.forms import elements

        return elements.element_place(source, element)

    def copy(self, source: GraphSource, states: tuple[str, ...]) -> Json:
        from workflows.core.dialects.agent_graph import edits

        return edits.copy(source, states)

    def with_additions(self, source: GraphSource, log: Iterable[Event]) -> GraphSource:
        from workflows.core.dialects.agent_graph.edits.run_additions import with_additions

        return with_additions(source, log)

    def tools(self, source: GraphSource) -> tuple[ToolSpec, ...]:
        from workflows.core.dialects.agent_graph.program.call_permissions import workspace_specs

        return workspace_specs()

    def call_approvals(self, source: GraphSource) -> tuple[CallApproval, ...]:
        from workflows.core.dialects.agent_graph.program.call_permissions import declared_approvals
        from workflows.core.dialects.agent_graph.program.definition import GraphDefinition

        definition = GraphDefinition(graph=source.shape, pack=source.template_bytes)
        return declared_approvals(source.shape.nodes.values(), definition.rights)

    def cards(self, source: GraphSource) -> Mapping[str, dict[str, Json]]:
        from workflows.core.dialects.agent_graph.format import agent_cards

        return agent_cards.cards(source)


DIALECT: Dialect = AgentGraphs()
