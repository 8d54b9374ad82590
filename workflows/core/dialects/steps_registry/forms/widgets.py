"""Fields of forms that name a step."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.json_schemas.fields import Schema, text

STEP_ID: Schema = {"x-element": "state"}


def step_name(title: str, steps: Iterable[str], description: str = "") -> Schema:
    """The id of a step of this pack."""
    return {**text(title, description), "x-choices": list(steps), **STEP_ID}
