"""Labels of the routes of a stage."""

from __future__ import annotations

from typing import Any

from workflows.core.convert.neutral import DECISION, slug, title
from workflows.core.convert.simplify import NEXT
from workflows.core.dialects.stages.convert.from_neutral import PAYLOAD_PATH
from workflows.core.dialects.stages.graph.labels import describe_condition

OTHERWISE = "otherwise"


def label_of(when: Any, *, alone: bool) -> tuple[str, Any]:
    """The label of a route, and its condition if the label does not express it."""
    if when is None:
        return (NEXT if alone else OTHERWISE), None
    if not isinstance(when, dict):
        return "case", when
    value, path = when.get("value"), str(when.get("path"))
    if when.get("op") == "equals" and path.startswith(f"{PAYLOAD_PATH}."):
        field = path.removeprefix(f"{PAYLOAD_PATH}.")
        if isinstance(value, str):
            return value, None if field == DECISION else when
        if isinstance(value, bool):
            return (last(field) if value else f"not-{last(field)}"), when
        return f"{last(field)}-{value}", when
    return slug(title(describe_condition(when) or "case"), "case")[:60], when


def last(path: str) -> str:
    """The last name of a path."""
    return path.rpartition(".")[2]
