"""The JSON Schema of `steps_registry.json` for editors, from the fields that the forms show."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.forms.schemas import entry_schema, pack_schema
from workflows.core.dialects.steps_registry.forms.step_schemas import step_schema
from workflows.core.json_schemas.editor_schemas import map_of, published

OTHER_FILES = ("schema",)
"""Fields of a step whose value is in another file."""


def schema() -> dict[str, Any]:
    """The schema of the whole file, for every version of the format."""
    step = {name: one for name, one in step_schema(()).items() if name not in OTHER_FILES}
    # An intent may have no target, or several: `signalbox check` has the rules.
    step["transitions"] = map_of("Transitions", {"type": "object"})
    pair = {"type": "object", "properties": entry_schema((), paired=True)}
    properties = {
        **pack_schema((), paired=False),
        "entryStepMapping": map_of("Entry by verdict type", {"anyOf": [{"type": "string"}, pair]}),
        "steps": map_of("Steps", {"type": "object", "properties": step}),
        "validators": {"type": "object", "title": "Validators"},
        "failurePatterns": {"type": "object", "title": "Failure patterns"},
        "validationSteps": {"type": "object", "title": "Validation steps"},
    }
    return published("Steps registry", properties, ["steps"])
