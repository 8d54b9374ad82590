"""Workflow scripts of coding agents: `.claude/workflows/*.js` and relatives. See README.md."""

from __future__ import annotations

from workflows.core.dialects.base import Dialect, NameField
from workflows.core.dialects.workflow_scripts import (
    edits,
    forms,
    recognise,
    rules,
    samples,
    source,
)
from workflows.core.dialects.workflow_scripts.format.vocabulary import PROFILES
from workflows.core.dialects.workflow_scripts.graph import projection
from workflows.core.dialects.workflow_scripts.graph.assumptions import call_bound
from workflows.core.dialects.workflow_scripts.program.program import program
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.forms import Json
from workflows.core.pack.graph import Offer


class WorkflowScripts(Dialect):
    """The dialect; `workflows.core.dialects.base.Dialect` describes each method."""

    name = "workflow_scripts"
    label = "Workflow script"
    profiles: tuple[str, ...] = PROFILES
    file_names: tuple[str, ...] = ("workflow.js",)
    name_fields = (NameField(of="id", element="pack", key="name"),)
    covers = rules.COVERED
    causes = rules.CAUSES

    call_bound = staticmethod(call_bound)
    recognises = staticmethod(recognise.recognises)
    read = staticmethod(source.read)
    graph = staticmethod(projection.graph)

    def offers(self, source: ScriptSource, state: str, profile: str) -> tuple[Offer, ...]:
        return ()

    palette = staticmethod(forms.palette)
    outline = staticmethod(forms.outline)
    fields = staticmethod(forms.fields)
    apply = staticmethod(edits.apply)

    def copy(self, source: ScriptSource, states: tuple[str, ...]) -> Json:
        raise EditRefused(
            "States of a workflow script are code.", hint="Copy their lines in the text view."
        )

    program = staticmethod(program)

    samples = staticmethod(samples.samples)


DIALECT: Dialect = WorkflowScripts()
