"""Workflow scripts of coding agents: `.claude/workflows/*.js` and relatives. See README.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workflows.core.dialects.base import Dialect, ExportFormat, NameField, PackLocation
from workflows.core.dialects.workflow_scripts import (
    edits,
    forms,
    recognise,
    rules,
    samples,
    source,
)
from workflows.core.dialects.workflow_scripts.convert import EXPORT
from workflows.core.dialects.workflow_scripts.format.vocabulary import PROFILES
from workflows.core.dialects.workflow_scripts.graph import projection
from workflows.core.dialects.workflow_scripts.graph.assumptions import call_bound
from workflows.core.dialects.workflow_scripts.program.program import ScriptProgram, program
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.call_bound import CallBound
from workflows.core.pack.edits import Edit, EditRefused
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Rule
from workflows.core.pack.forms import Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Graph, Offer


class WorkflowScripts(Dialect):
    """The dialect; `workflows.core.dialects.base.Dialect` describes each method."""

    name = "workflow_scripts"
    label = "Workflow script"
    profiles: tuple[str, ...] = PROFILES
    file_names: tuple[str, ...] = ("workflow.js",)
    name_fields = (NameField(of="id", element="pack", key="name"),)
    covers = rules.COVERED

    def call_bound(self, source: ScriptSource, assumed: Mapping[str, int]) -> CallBound:
        return call_bound(source, assumed)

    def recognises(self, files: Files) -> list[PackLocation]:
        return recognise.recognises(files)

    def read(self, files: Files) -> ScriptSource:
        return source.read(files)

    def graph(self, source: ScriptSource, profile: str) -> Graph:
        return projection.graph(source, profile)

    def offers(self, source: ScriptSource, state: str, profile: str) -> tuple[Offer, ...]:
        return ()

    def palette(self) -> tuple[PaletteItem, ...]:
        return forms.palette()

    def outline(self, source: ScriptSource) -> tuple[Section, ...]:
        return forms.outline(source)

    def fields(self, source: ScriptSource, element: str, profile: str) -> Form:
        return forms.fields(source, element, profile)

    def rules(self) -> Iterable[Rule]:
        return rules.rules()

    def apply(self, source: ScriptSource, edit: Edit) -> ScriptSource:
        return edits.apply(source, edit)

    def copy(self, source: ScriptSource, states: tuple[str, ...]) -> Json:
        raise EditRefused(
            "States of a workflow script are code.", hint="Copy their lines in the text view."
        )

    def program(self, source: ScriptSource, profile: str) -> ScriptProgram:
        return program(source, profile)

    def exports(self) -> tuple[ExportFormat, ...]:
        return (EXPORT,)

    def samples(self) -> Mapping[str, Files]:
        return samples.samples()


DIALECT: Dialect = WorkflowScripts()
