"""The JSON Schema of the front matter of a stage, for editors, from the fields that the forms
show."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.format.elements import ENTRY_FIELDS
from workflows.core.dialects.stages.format.stage_file import REQUIRED
from workflows.core.dialects.stages.forms.schemas import stage_schema
from workflows.core.json_schemas.editor_schemas import published


def schema() -> dict[str, Any]:
    """The schema of a stage in Markdown."""
    fields = {
        name: one
        for name, one in stage_schema({}, (), ()).items()
        if name not in (*ENTRY_FIELDS, "body")
    }
    fields["completionSchema"] = {**fields["completionSchema"], "type": "object"}
    return published("Stage", fields, list(REQUIRED))
