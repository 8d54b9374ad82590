"""The JSON Schema of `.agent/workflow.json` for editors, from the parts that the forms show."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.climpt_workflow.format.parts import Parts
from workflows.core.dialects.climpt_workflow.schemas import parts as shapes
from workflows.core.json_schemas.editor_schemas import map_of, published


def schema() -> dict[str, Any]:
    """The schema of the whole file."""
    none = Parts({})
    properties = {
        **shapes.pack_schema(),
        "phases": map_of("Phases", _record(shapes.phase_schema(none), "type")),
        "agents": map_of("Agents", _record(shapes.agent_schema(none), "role")),
        "labelMapping": map_of("Phase of each label", {"type": "string"}),
        "labels": map_of("Labels", _record(shapes.label_schema(none))),
    }
    return published("Climpt workflow", properties, ["phases", "agents"])


def _record(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}
