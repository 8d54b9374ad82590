"""The stages dialect: markdown files with a contract in their front matter, and a pipeline with
their transitions. See README.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workflows.core.dialects.base import (
    Dialect,
    EditorSchema,
    ExportFormat,
    NameField,
    PackLocation,
)
from workflows.core.dialects.stages import edits, recognise, samples, source
from workflows.core.dialects.stages.convert import CONVERTER
from workflows.core.dialects.stages.convert.stud import EXPORT
from workflows.core.dialects.stages.edits import clipboard
from workflows.core.dialects.stages.edits.palette import PALETTE
from workflows.core.dialects.stages.format.tools import (
    allowed_tools,
    declared_approvals,
    named_tools,
)
from workflows.core.dialects.stages.forms import elements, outline
from workflows.core.dialects.stages.graph import offers, projection
from workflows.core.dialects.stages.program import program
from workflows.core.dialects.stages.rules import CAUSES, COVERED, RULES
from workflows.core.dialects.stages.schemas import front_matter
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.program import Program
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Rule
from workflows.core.pack.forms import ElementPlace, Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Graph, Offer
from workflows.core.tools.availability import NamedTool
from workflows.core.tools.call_approvals import CallApproval


class Stages(Dialect):
    """The dialect. See `workflows.core.dialects.base.Dialect` for its methods."""

    name = "stages"
    label = "Stage definitions"
    profiles: tuple[str, ...] = ("documented", "strict")
    covers = COVERED
    causes = CAUSES
    converter = CONVERTER
    editor_schemas = (
        EditorSchema(name="stages", patterns=("*stages/*.md",), make=front_matter.schema),
    )
    file_names: tuple[str, ...] = ("pipeline.json", "stage.md", "stage.json")
    name_fields = (
        NameField(of="id", element="pack", key="id"),
        NameField(of="name", element="pack", key="name"),
    )

    def recognises(self, files: Files) -> list[PackLocation]:
        return recognise.recognises(files)

    def read(self, files: Files) -> StagesSource:
        return source.read(files)

    def graph(self, source: StagesSource, profile: str) -> Graph:
        return projection.graph(source, profile)

    def offers(self, source: StagesSource, state: str, profile: str) -> tuple[Offer, ...]:
        return offers.offers(source, state)

    def palette(self) -> tuple[PaletteItem, ...]:
        return PALETTE

    def outline(self, source: StagesSource) -> tuple[Section, ...]:
        return outline.outline(source)

    def fields(self, source: StagesSource, element: str, profile: str) -> Form:
        return elements.form(source, element)

    def element_place(self, source: StagesSource, element: str, profile: str) -> ElementPlace:
        return elements.element_place(source, element)

    def state_files(self, source: StagesSource, state: str) -> tuple[str, ...]:
        return elements.state_files(source, state)

    def rules(self) -> Iterable[Rule]:
        return RULES

    def apply(self, source: StagesSource, edit: Edit) -> StagesSource:
        return edits.apply(source, edit)

    def copy(self, source: StagesSource, states: tuple[str, ...]) -> Json:
        return clipboard.copy(source, states)

    def program(self, source: StagesSource, profile: str) -> Program:
        return program.program(source, profile)

    def exports(self) -> tuple[ExportFormat, ...]:
        return (EXPORT,)

    def tools(self, source: StagesSource) -> tuple[ToolSpec, ...]:
        """The tools that the stages list; all registered tools if a stage has no list."""
        return allowed_tools(source)

    def named_tools(self, source: StagesSource) -> tuple[NamedTool, ...]:
        return named_tools(source)

    def call_approvals(self, source: StagesSource) -> tuple[CallApproval, ...]:
        return declared_approvals(source)

    def samples(self) -> Mapping[str, Files]:
        return samples.samples()


DIALECT: Dialect = Stages()
