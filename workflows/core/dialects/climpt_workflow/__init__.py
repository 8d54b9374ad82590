"""Climpt's `.agent/workflow.json`: phases of issues, and the agents that work in them. See
README.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workflows.core.dialects.base import Dialect, EditorSchema, ExportFormat, PackLocation
from workflows.core.dialects.climpt_workflow import edits, forms, recognise, rules, samples, source
from workflows.core.dialects.climpt_workflow.convert import EXPORT
from workflows.core.dialects.climpt_workflow.graph import projection
from workflows.core.dialects.climpt_workflow.program.program import WorkflowProgram, program
from workflows.core.dialects.climpt_workflow.schemas import workflow_file
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Rule
from workflows.core.pack.forms import ElementPlace, Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Graph, Offer


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

    def recognises(self, files: Files) -> list[PackLocation]:
        return recognise.recognises(files)

    def read(self, files: Files) -> WorkflowSource:
        return source.read(files)

    def graph(self, source: WorkflowSource, profile: str) -> Graph:
        return projection.graph(source, profile)

    def offers(self, source: WorkflowSource, state: str, profile: str) -> tuple[Offer, ...]:
        return projection.offers(source, state, profile)

    def palette(self) -> tuple[PaletteItem, ...]:
        return forms.palette()

    def outline(self, source: WorkflowSource) -> tuple[Section, ...]:
        return forms.outline(source)

    def fields(self, source: WorkflowSource, element: str, profile: str) -> Form:
        return forms.fields(source, element, profile)

    def element_place(self, source: WorkflowSource, element: str, profile: str) -> ElementPlace:
        return forms.element_place(source, element)

    def rules(self) -> Iterable[Rule]:
        return rules.rules()

    def apply(self, source: WorkflowSource, edit: Edit) -> WorkflowSource:
        return edits.apply(source, edit)

    def copy(self, source: WorkflowSource, states: tuple[str, ...]) -> Json:
        return edits.copy(source, states)

    def program(self, source: WorkflowSource, profile: str) -> WorkflowProgram:
        return program(source, profile)

    def exports(self) -> tuple[ExportFormat, ...]:
        return (EXPORT,)

    def samples(self) -> Mapping[str, Files]:
        return samples.samples()


DIALECT: Dialect = ClimptWorkflow()
