"""The JSON Schema of `.agent/workflow.json` for editors, from the parts that the forms show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.climpt_workflow.format.parts import Parts
from workflows.core.dialects.climpt_workflow.schemas import parts as shapes

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema of the whole file. Unknown keys are permitted, as in the format."""
    none = Parts({})
    whole = {
        "$schema": DRAFT,
        "title": "Climpt workflow",
        "type": "object",
        "properties": {
            **shapes.pack_schema(),
            "phases": _map("Phases", shapes.phase_schema(none), "type"),
            "agents": _map("Agents", shapes.agent_schema(none), "role"),
            "labelMapping": {
                "type": "object",
                "title": "Labels",
                "description": "Label of an issue to phase.",
                "additionalProperties": {"type": "string"},
            },
            "labels": {
                "type": "object",
                "title": "Labels",
                "additionalProperties": {
                    "type": "object", "properties": shapes.label_schema(none),
                },
            },
        },
        "required": ["phases", "agents"],
    }  # fmt: skip
    published: dict[str, Any] = _published(whole)
    return published


def _map(title: str, properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "title": title,
        "additionalProperties": {
            "type": "object", "properties": dict(properties), "required": list(required),
        },
    }  # fmt: skip


def _published(value: Any) -> Any:
    """The schema without the marks of the forms."""
    if isinstance(value, Mapping):
        return {
            key: _published(one)
            for key, one in value.items()
            if not key.startswith("x-") and (key, one) != ("description", "")
        }
    return [_published(one) for one in value] if isinstance(value, list) else value
