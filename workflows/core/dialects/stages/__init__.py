"""The stages dialect: markdown files with a contract in their front matter, and a pipeline with
their transitions. See README.md."""

from __future__ import annotations

from workflows.core.dialects.base import Dialect, EditorSchema, NameField
from workflows.core.dialects.stages import edits, recognise, samples, source
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
from workflows.core.dialects.stages.rules import CAUSES, COVERED
from workflows.core.dialects.stages.schemas import front_matter
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.forms import ElementPlace, Form, PaletteItem
from workflows.core.pack.graph import Offer


class Stages(Dialect):
    """The dialect. See `workflows.core.dialects.base.Dialect` for its methods."""

    name = "stages"
    label = "Stage definitions"
    profiles: tuple[str, ...] = ("documented", "strict")
    covers = COVERED
    causes = CAUSES
    editor_schemas = (
        EditorSchema(name="stages", patterns=("*stages/*.md",), make=front_matter.schema),
    )
    file_names: tuple[str, ...] = ("pipeline.json", "stage.md", "stage.json")
    name_fields = (
        NameField(of="id", element="pack", key="id"),
        NameField(of="name", element="pack", key="name"),
    )

    recognises = staticmethod(recognise.recognises)
    read = staticmethod(source.read)
    graph = staticmethod(projection.graph)

    def offers(self, source: StagesSource, state: str, profile: str) -> tuple[Offer, ...]:
        return offers.offers(source, state)

    def palette(self) -> tuple[PaletteItem, ...]:
        return PALETTE

    outline = staticmethod(outline.outline)

    def fields(self, source: StagesSource, element: str, profile: str) -> Form:
        return elements.form(source, element)

    def element_place(self, source: StagesSource, element: str, profile: str) -> ElementPlace:
        return elements.element_place(source, element)

    state_files = staticmethod(elements.state_files)

    apply = staticmethod(edits.apply)
    copy = staticmethod(clipboard.copy)
    program = staticmethod(program.program)

    tools = staticmethod(allowed_tools)
    named_tools = staticmethod(named_tools)
    call_approvals = staticmethod(declared_approvals)
    samples = staticmethod(samples.samples)


DIALECT: Dialect = Stages()
