"""Climpt's `.agent/workflow.json`: phases of issues, and the agents that work in them. See
README.md."""

from __future__ import annotations

from workflows.core.dialects.base import Dialect, EditorSchema
from workflows.core.dialects.climpt_workflow import edits, forms, recognise, rules, samples, source
from workflows.core.dialects.climpt_workflow.graph import projection
from workflows.core.dialects.climpt_workflow.program.program import program
from workflows.core.dialects.climpt_workflow.schemas import workflow_file
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.forms import ElementPlace


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

    recognises = staticmethod(recognise.recognises)
    read = staticmethod(source.read)
    graph = staticmethod(projection.graph)
    offers = staticmethod(projection.offers)
    palette = staticmethod(forms.palette)
    outline = staticmethod(forms.outline)
    fields = staticmethod(forms.fields)

    def element_place(self, source: WorkflowSource, element: str, profile: str) -> ElementPlace:
        return forms.element_place(source, element)

    apply = staticmethod(edits.apply)
    copy = staticmethod(edits.copy)
    program = staticmethod(program)

    samples = staticmethod(samples.samples)


DIALECT: Dialect = ClimptWorkflow()
