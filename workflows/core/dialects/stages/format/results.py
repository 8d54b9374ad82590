"""Possible results of a stage whose cases all compare one field."""

from __future__ import annotations

from workflows.core.dialects.stages.format.parts import routes
from workflows.core.dialects.stages.graph.labels import describe_condition
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.forms import Json
from workflows.core.text.tolerant import as_object

PARSED = "result.parsed."


def answers(source: StagesSource, stage: str) -> tuple[str, ...]:
    """The condition label of each value of that field (section 16.2): for a stage without `else`
    whose cases all compare one boolean or `enum` field of `completionSchema`. () for every other
    stage."""
    stage_routes = routes(source, stage)
    cases = [route.when for route in stage_routes]
    paths = {str(when.get("path")) for when in cases if when and when.get("op") == "equals"}
    if len(paths) != 1 or any(when is None or when.get("op") != "equals" for when in cases):
        return ()
    path = paths.pop()
    values = _values(source, stage, path.removeprefix(PARSED)) if path.startswith(PARSED) else ()
    return tuple(
        describe_condition({"path": path, "op": "equals", "value": value}) for value in values
    )


def _values(source: StagesSource, stage: str, field: str) -> tuple[Json, ...]:
    properties = as_object(source.stages[stage].values.get("completionSchema")).get("properties")
    item = as_object(properties).get(field)
    if not isinstance(item, dict):
        return ()
    listed = [True, False] if item.get("type") == "boolean" else item.get("enum")
    return tuple(listed) if isinstance(listed, list) else ()
