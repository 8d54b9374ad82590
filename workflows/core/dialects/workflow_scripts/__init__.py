"""Workflow scripts of coding agents: `.claude/workflows/*.js` and relatives. See README.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workflows.core.dialects.base import Dialect, NameField
from workflows.core.dialects.workflow_scripts import rules
from workflows.core.dialects.workflow_scripts.format.vocabulary import PROFILES
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.engine.events import Event
from workflows.core.pack.call_bound import CallBound
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.forms import Form, Json, PaletteItem, Section
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

    def call_bound(self, source: ScriptSource, assumed: Mapping[str, int]) -> CallBound:
        from workflows.core.dialects.workflow_scripts.graph import assumptions

        return assumptions.call_bound(source, assumed)

    def offers(self, source: ScriptSource, state: str, profile: str) -> tuple[Offer, ...]:
        return ()

    def palette(self) -> tuple[PaletteItem, ...]:
        return ()

    def outline(self, source: ScriptSource) -> tuple[Section, ...]:
        from workflows.core.dialects.workflow_scripts import forms

        return forms.outline(source)

    def fields(self, source: ScriptSource, element: str, profile: str) -> Form:
        from workflows.core.dialects.workflow_scripts import forms

        return forms.fields(source, element, profile)

    def recorded_run(
        self, source: ScriptSource, profile: str, body: Any, near: Callable[[str], bytes | None]
    ) -> tuple[Event, ...] | None:
        from workflows.core.dialects.workflow_scripts.program import journals

        return journals.recorded_run(source, profile, body, near)

    def copy(self, source: ScriptSource, states: tuple[str, ...]) -> Json:
        raise EditRefused(
            "States of a workflow script are code.", hint="Copy their lines in the text view."
        )


DIALECT: Dialect = WorkflowScripts()
