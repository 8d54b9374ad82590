"""Climpt's `steps_registry.json`: the steps, gates and transitions of one agent. See README.md."""

from __future__ import annotations

from workflows.core.dialects.base import Dialect, EditorSchema, NameField
from workflows.core.dialects.steps_registry import forms, recognise, rules, samples
from workflows.core.dialects.steps_registry.edits import apply, clipboard
from workflows.core.dialects.steps_registry.format.tools import agent_tools, named_tools
from workflows.core.dialects.steps_registry.graph import projection
from workflows.core.dialects.steps_registry.program.program import program
from workflows.core.dialects.steps_registry.schemas import agent_file, registry_file
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.files import Files
from workflows.core.pack.forms import ElementPlace


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
            name="climpt-steps", patterns=("*steps_registry.json",), make=registry_file.schema
        ),
        EditorSchema(
            name="climpt-agent", patterns=(".agent/*/agent.json",), make=agent_file.schema
        ),
    )

    recognises = staticmethod(recognise.recognises)

    def read(self, files: Files) -> RegistrySource:
        return RegistrySource(files=files, main=recognise.main_of(files))

    graph = staticmethod(projection.graph)
    offers = staticmethod(projection.offers)
    palette = staticmethod(forms.palette)
    outline = staticmethod(forms.outline)
    fields = staticmethod(forms.fields)

    def element_place(self, source: RegistrySource, element: str, profile: str) -> ElementPlace:
        return forms.element_place(source, element)

    state_files = staticmethod(forms.state_files)
    rules = staticmethod(rules.rules)
    apply = staticmethod(apply)
    copy = staticmethod(clipboard.copy)
    program = staticmethod(program)

    def tools(self, source: RegistrySource) -> tuple[ToolSpec, ...]:
        """The agent's tools."""
        return tuple(agent_tools(source).values())

    named_tools = staticmethod(named_tools)

    samples = staticmethod(samples.samples)


DIALECT: Dialect = StepsRegistry()
