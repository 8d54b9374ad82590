"""JSON Schemas of the forms."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.workflow_scripts.format.vocabulary import (
    EFFORTS,
    ISOLATIONS,
    MODELS,
)

Schema = dict[str, Any]


def text(title: str, help: str = "", /, **more: Any) -> Schema:
    """A field with a text."""
    return {"type": "string", "title": title, "description": help, **more}


def computed(title: str) -> Schema:
    """A field that shows what the text implies."""
    return text(title, readOnly=True, **{"x-computed": True})


def pack_schema() -> Schema:
    """The fields of meta."""
    return {
        "name": text("Name", "The command that starts the workflow."),
        "description": text("Description", "One line in the dialog before a run."),
        "whenToUse": text("When to use", "When to start it, and with which args."),
        "phases": {"type": "array", "title": "Phases", "x-widget": "json"},
    }


def call_schema(phases: list[str], types: list[str]) -> Schema:
    """The fields of a call: its prompt and its options."""
    return {
        "prompt": text("Prompt", "The task of the agent.", **{"x-widget": "prompt"}),
        "label": text("Label", "The name of the agent in the progress view."),
        "phase": text("Phase", "The group in the progress view.", **{"x-choices": phases}),
        "model": text("Model", "Default: the session's model.", **{"x-choices": list(MODELS)}),
        "effort": text("Effort", "How long the model thinks.", enum=list(EFFORTS)),
        "agentType": text("Agent type", "An agent definition.", **{"x-choices": types}),
        "isolation": text("Isolation", "A git worktree of its own.", enum=list(ISOLATIONS)),
        "schema": {"title": "Schema of the answer", "x-widget": "json"},
        "count": computed("Calls at most"),
    }


def phase_schema() -> Schema:
    """The fields of a declared phase."""
    return {
        "detail": text("Detail", "A line in the dialog before a run."),
        "model": text("Model", "A label in the dialog. It chooses no model."),
    }
