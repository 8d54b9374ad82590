"""PromptPack: a `*.pack.json` with prompts, tools and an optional workflow. README.md describes the
format, the graph and runs."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.core.dialects.base import Dialect, EditorSchema, NameField
from workflows.core.dialects.promptpack import recognise
from workflows.core.dialects.promptpack.format.profiles import PROFILES
from workflows.core.dialects.promptpack.rules import CAUSES, COVERED
from workflows.core.dialects.promptpack.schemas import versions
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.forms import ElementPlace, Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Offer
from workflows.core.tools.call_approvals import CallApproval


class PromptPack(Dialect):
    """The dialect; `workflows.core.dialects.base.Dialect` describes each method."""

    name = "promptpack"
    label = "PromptPack"
    profiles: tuple[str, ...] = PROFILES
    file_names: tuple[str, ...] = ("pack.json",)
    name_fields = (
        NameField(of="id", element="pack", key="id"),
        NameField(of="name", element="pack", key="name"),
    )
    covers = COVERED
    causes = CAUSES
    local_steps = True
    editor_schemas = (
        EditorSchema(
            name="promptpack",
            patterns=(f"*{recognise.SUFFIX}",),
            make=lambda: versions.schema_for(versions.NEWEST),
        ),
    )

    def offers(self, source: PackSource, state: str, profile: str) -> tuple[Offer, ...]:
        from workflows.core.dialects.promptpack.graph import offers

        return offers.offers(source, state)

    def palette(self) -> tuple[PaletteItem, ...]:
        from workflows.core.dialects.promptpack.edits.new_steps import STEP_PALETTE
        from workflows.core.dialects.promptpack.edits.states import STATE_PALETTE

        return (*STATE_PALETTE, *STEP_PALETTE)

    def outline(self, source: PackSource) -> tuple[Section, ...]:
        from workflows.core.dialects.promptpack.forms import elements

        return elements.outline(source)

    def fields(self, source: PackSource, element: str, profile: str) -> Form:
        from workflows.core.dialects.promptpack.forms import elements

        return elements.form(source, element)

    def element_place(self, source: PackSource, element: str, profile: str) -> ElementPlace:
        from workflows.core.dialects.promptpack.forms import elements

        return elements.element_place(source, element)

    def copy(self, source: PackSource, states: tuple[str, ...]) -> Json:
        from workflows.core.dialects.promptpack import edits

        return edits.copy(source, states)

    def cards(self, source: PackSource) -> Mapping[str, dict[str, Json]]:
        """The A2A card of every agent of a readable source, by key."""
        from workflows.core.dialects.promptpack.format import agent_cards

        return agent_cards.cards(source.parts)

    def tools(self, source: PackSource) -> tuple[ToolSpec, ...]:
        """All tools that the pack declares. A run can call each of them."""
        from workflows.core.dialects.promptpack.program.tools import declared_tools

        return declared_tools(source.parts)

    def call_approvals(self, source: PackSource) -> tuple[CallApproval, ...]:
        from workflows.core.dialects.promptpack.program.call_approvals import declared_approvals

        return declared_approvals(source.parts)


DIALECT: Dialect = PromptPack()
