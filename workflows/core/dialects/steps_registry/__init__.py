"""Climpt's `steps_registry.json`: the steps, gates and transitions of one agent. See README.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.base import Dialect, EditorSchema, NameField
from workflows.core.dialects.steps_registry import recognise, rules
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.files import Files
from workflows.core.pack.forms import ElementPlace, Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Offer
from workflows.core.tools.availability import NamedTool


def _registry_schema() -> Mapping[str, Any]:
    from workflows.core.dialects.steps_registry.schemas import registry_file

    return registry_file.schema()


def _agent_schema() -> Mapping[str, Any]:
    from workflows.core.dialects.steps_registry.schemas import agent_file

    return agent_file.schema()


class StepsRegistry(Dialect):
    """The dialect; `workflows.core.dialects.base.Dialect` describes each method."""

    name = "steps_registry"
    label = "Climpt steps registry"
    profiles = ("documented", "climpt")
    file_names: tuple[str, ...] = ("steps_registry.json",)
    name_fields = (
        NameField(of="id", element="pack", key="agentId"),
        NameField(of="id", element="agent", key="name"),
        NameField(of="name", element="agent", key="displayName"),
    )
    id_in_paths = True
    covers = rules.COVERED
    causes = rules.CAUSES
    editor_schemas = (
        EditorSchema(
            name="climpt-steps", patterns=("*steps_registry.json",), make=_registry_schema
        ),
        EditorSchema(name="climpt-agent", patterns=(".agent/*/agent.json",), make=_agent_schema),
    )

    def read(self, files: Files) -> RegistrySource:
        return RegistrySource(files=files, main=recognise.main_of(files))

    def offers(self, source: RegistrySource, state: str, profile: str) -> tuple[Offer, ...]:
        from workflows.core.dialects.steps_registry.graph import projection

        return projection.offers(source, state, profile)

    def palette(self) -> tuple[PaletteItem, ...]:
        from workflows.core.dialects.steps_registry import forms

        return forms.palette()

    def outline(self, source: RegistrySource) -> tuple[Section, ...]:
        from workflows.core.dialects.steps_registry import forms

        return forms.outline(source)

    def fields(self, source: RegistrySource, element: str, profile: str) -> Form:
        from workflows.core.dialects.steps_registry import forms

        return forms.fields(source, element, profile)

    def element_place(self, source: RegistrySource, element: str, profile: str) -> ElementPlace:
        from workflows.core.dialects.steps_registry import forms

        return forms.element_place(source, element)

    def state_files(self, source: RegistrySource, state: str) -> tuple[str, ...]:
        from workflows.core.dialects.steps_registry import forms

        return forms.state_files(source, state)

    rules = staticmethod(rules.rules)

    def copy(self, source: RegistrySource, states: tuple[str, ...]) -> Json:
        from workflows.core.dialects.steps_registry.edits import clipboard

        return clipboard.copy(source, states)

    def tools(self, source: RegistrySource) -> tuple[ToolSpec, ...]:
        """The agent's tools."""
        from workflows.core.dialects.steps_registry.format.tools import agent_tools

        return tuple(agent_tools(source).values())

    def named_tools(self, source: RegistrySource) -> tuple[NamedTool, ...]:
        from workflows.core.dialects.steps_registry.format import tools

        return tools.named_tools(source)


DIALECT: Dialect = StepsRegistry()
