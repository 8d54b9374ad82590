"""The stages dialect: markdown files with a contract in their front matter, and a pipeline with
their transitions. See README.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.base import Dialect, EditorSchema, NameField
from workflows.core.dialects.stages.rules import CAUSES, COVERED
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.forms import ElementPlace, Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Offer
from workflows.core.tools.availability import NamedTool
from workflows.core.tools.call_approvals import CallApproval


def _schema() -> Mapping[str, Any]:
    from workflows.core.dialects.stages.schemas import front_matter

    return front_matter.schema()


class Stages(Dialect):
    """The dialect. See `workflows.core.dialects.base.Dialect` for its methods."""

    name = "stages"
    label = "Stage definitions"
    profiles: tuple[str, ...] = ("documented", "strict")
    covers = COVERED
    causes = CAUSES
    local_steps = True
    editor_schemas = (EditorSchema(name="stages", patterns=("*stages/*.md",), make=_schema),)
    file_names: tuple[str, ...] = ("pipeline.json", "stage.md", "stage.json")
    name_fields = (
        NameField(of="id", element="pack", key="id"),
        NameField(of="name", element="pack", key="name"),
    )

    def offers(self, source: StagesSource, state: str, profile: str) -> tuple[Offer, ...]:
        from workflows.core.dialects.stages.graph import offers

        return offers.offers(source, state)

    def palette(self) -> tuple[PaletteItem, ...]:
        from workflows.core.dialects.stages.edits.palette import PALETTE

        return PALETTE

    def outline(self, source: StagesSource) -> tuple[Section, ...]:
        from workflows.core.dialects.stages.forms import outline

        return outline.outline(source)

    def fields(self, source: StagesSource, element: str, profile: str) -> Form:
        from workflows.core.dialects.stages.forms import elements

        return elements.form(source, element)

    def element_place(self, source: StagesSource, element: str, profile: str) -> ElementPlace:
        from workflows.core.dialects.stages.forms import elements

        return elements.element_place(source, element)

    def state_files(self, source: StagesSource, state: str) -> tuple[str, ...]:
        from workflows.core.dialects.stages.forms import elements

        return elements.state_files(source, state)

    def copy(self, source: StagesSource, states: tuple[str, ...]) -> Json:
        from workflows.core.dialects.stages.edits import clipboard

        return clipboard.copy(source, states)

    def tools(self, source: StagesSource) -> tuple[ToolSpec, ...]:
        from workflows.core.dialects.stages.format.tools import allowed_tools

        return allowed_tools(source)

    def named_tools(self, source: StagesSource) -> tuple[NamedTool, ...]:
        from workflows.core.dialects.stages.format import tools

        return tools.named_tools(source)

    def call_approvals(self, source: StagesSource) -> tuple[CallApproval, ...]:
        from workflows.core.dialects.stages.format.tools import declared_approvals

        return declared_approvals(source)


DIALECT: Dialect = Stages()
