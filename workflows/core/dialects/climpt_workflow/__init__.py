"""Climpt's `.agent/workflow.json`: phases of issues, and the agents that work in them. See
README.md."""

from __future__ import annotations

from workflows.core.dialects.base import Dialect, EditorSchema
from workflows.core.dialects.climpt_workflow import rules
from workflows.core.dialects.climpt_workflow.schemas import workflow_file
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.forms import ElementPlace, Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Offer


class ClimptWorkflow(Dialect):
    """The dialect; `workflows.core.dialects.base.Dialect` describes each method."""

    name = "climpt_workflow"
    label = "Climpt workflow"
    profiles: tuple[str, ...] = ("climpt",)
    file_names: tuple[str, ...] = ("workflow.json",)
    covers = rules.COVERED
    causes = rules.CAUSES
    editor_schemas = (
        EditorSchema(
            name="climpt-workflow", patterns=(".agent/workflow.json",), make=workflow_file.schema
        ),
    )

    def offers(self, source: WorkflowSource, state: str, profile: str) -> tuple[Offer, ...]:
        from workflows.core.dialects.climpt_workflow.graph import projection

        return projection.offers(source, state, profile)

    def palette(self) -> tuple[PaletteItem, ...]:
        from workflows.core.dialects.climpt_workflow import forms

        return forms.palette()

    def outline(self, source: WorkflowSource) -> tuple[Section, ...]:
        from workflows.core.dialects.climpt_workflow import forms

        return forms.outline(source)

    def fields(self, source: WorkflowSource, element: str, profile: str) -> Form:
        from workflows.core.dialects.climpt_workflow import forms

        return forms.fields(source, element, profile)

    def element_place(self, source: WorkflowSource, element: str, profile: str) -> ElementPlace:
        from workflows.core.dialects.climpt_workflow import forms

        return forms.element_place(source, element)

    def copy(self, source: WorkflowSource, states: tuple[str, ...]) -> Json:
        from workflows.core.dialects.climpt_workflow import edits

        return edits.copy(source, states)


DIALECT: Dialect = ClimptWorkflow()
