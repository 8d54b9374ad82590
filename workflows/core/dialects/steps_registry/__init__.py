"""Climpt's `steps_registry.json`: the steps, gates and transitions of one agent. See README.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workflows.core.dialects.base import (
    Dialect,
    EditorSchema,
    ExportFormat,
    NameField,
    PackLocation,
)
from workflows.core.dialects.steps_registry import forms, recognise, rules, samples
from workflows.core.dialects.steps_registry.convert import CONVERTER
from workflows.core.dialects.steps_registry.edits import apply, clipboard
from workflows.core.dialects.steps_registry.format.tools import agent_tools, named_tools
from workflows.core.dialects.steps_registry.graph import projection
from workflows.core.dialects.steps_registry.program.program import RegistryProgram, program
from workflows.core.dialects.steps_registry.schemas import agent_file, registry_file
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Rule
from workflows.core.pack.forms import ElementPlace, Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Graph, Offer
from workflows.core.tools.availability import NamedTool


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
    converter = CONVERTER
    editor_schemas = (
        EditorSchema(
            name="climpt-steps", patterns=("*steps_registry.json",), make=registry_file.schema
        ),
        EditorSchema(
            name="climpt-agent", patterns=(".agent/*/agent.json",), make=agent_file.schema
        ),
    )

    def recognises(self, files: Files) -> list[PackLocation]:
        return recognise.recognises(files)

    def read(self, files: Files) -> RegistrySource:
        return RegistrySource(files=files, main=recognise.main_of(files))

    def graph(self, source: RegistrySource, profile: str) -> Graph:
        return projection.graph(source, profile)

    def offers(self, source: RegistrySource, state: str, profile: str) -> tuple[Offer, ...]:
        return projection.offers(source, state, profile)

    def palette(self) -> tuple[PaletteItem, ...]:
        return forms.palette()

    def outline(self, source: RegistrySource) -> tuple[Section, ...]:
        return forms.outline(source)

    def fields(self, source: RegistrySource, element: str, profile: str) -> Form:
        return forms.fields(source, element, profile)

    def element_place(self, source: RegistrySource, element: str, profile: str) -> ElementPlace:
        return forms.element_place(source, element)

    def state_files(self, source: RegistrySource, state: str) -> tuple[str, ...]:
        return forms.state_files(source, state)

    def rules(self) -> Iterable[Rule]:
        return rules.rules()

    def apply(self, source: RegistrySource, edit: Edit) -> RegistrySource:
        return apply(source, edit)

    def copy(self, source: RegistrySource, states: tuple[str, ...]) -> Json:
        return clipboard.copy(source, states)

    def program(self, source: RegistrySource, profile: str) -> RegistryProgram:
        return program(source, profile)

    def tools(self, source: RegistrySource) -> tuple[ToolSpec, ...]:
        """The agent's tools."""
        return tuple(agent_tools(source).values())

    def named_tools(self, source: RegistrySource) -> tuple[NamedTool, ...]:
        return named_tools(source)

    def exports(self) -> tuple[ExportFormat, ...]:
        return ()

    def samples(self) -> Mapping[str, Files]:
        return samples.samples()


DIALECT: Dialect = StepsRegistry()
