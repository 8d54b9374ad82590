"""Evaluation of scores: thresholds, metrics and conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.measures.base import (
    Measurement,
    Observation,
    number,
)
from workflows.core.dialects.promptpack.program.measures.text import matches
from workflows.core.dialects.promptpack.program.validators import params_of
from workflows.core.engine.run import RunState
from workflows.core.text.tolerant import as_str, as_str_list, is_number


def wrapped_score(wrapped: Object, measurement: Measurement) -> Measurement:
    """The score of a wrapped eval: 1 if the inner score is within its bounds, else 0."""
    least, most = number(wrapped, "min_score"), number(wrapped, "max_score")
    least = 1.0 if least is None and most is None else least
    good = (least is None or measurement.score >= least) and (
        most is None or measurement.score <= most
    )
    return Measurement(score=float(good), why=measurement.why, violations=measurement.violations)


def is_passing(item: Object, score: float, *, promptkit: bool, least: float = 1.0) -> bool:
    """Return True if a score passes: by its threshold, else by the judge's passing score, else by
    the bounds of its parameters, else if it is at least `least`."""
    threshold = item.get("threshold")
    if isinstance(threshold, dict):
        verdict = threshold_met(threshold, score, promptkit=promptkit)
        if verdict is not None:
            return verdict
    params = params_of(item)
    lowest = number(params, "passing_score", "min_score")
    most = number(params, "max_score")
    if lowest is None and most is None:
        return score >= least
    return (lowest is None or score >= lowest) and (most is None or score <= most)


def threshold_met(threshold: Object, score: float, *, promptkit: bool) -> bool | None:
    """Return True if the threshold is met, None if it cannot be read."""
    if promptkit:
        least, most = number(threshold, "min_score"), number(threshold, "max_score")
        if least is None and most is None:
            return None
        return (least is None or score >= least) and (most is None or score <= most)
    value = number(threshold, "value")
    if value is None:
        return None
    return {
        "gte": score >= value,
        "lte": score <= value,
        "gt": score > value,
        "lt": score < value,
        "eq": score == value,
    }.get(as_str(threshold.get("operator")))


def metric_of(metric: Object, score: float, good: bool) -> dict[str, Any]:
    """The value of a metric, marked if it is outside the metric's range."""
    value = float(good) if metric.get("type") == "boolean" else score
    fields = {
        "name": as_str(metric.get("name")),
        "type": as_str(metric.get("type")),
        "value": value,
    }
    least, most = bounds_of(metric)
    outside = (least is not None and value < least) or (most is not None and value > most)
    return {**fields, "outside_range": True} if outside else fields


def bounds_of(metric: Any) -> tuple[float | None, float | None]:
    """The minimum and maximum of a metric, written as an object or as a list."""
    bounds = metric.get("range") if isinstance(metric, Mapping) else None
    if isinstance(bounds, list) and len(bounds) == 2:
        bounds = {"min": bounds[0], "max": bounds[1]}
    if not isinstance(bounds, dict):
        return None, None
    return number(bounds, "min"), number(bounds, "max")


def condition_met(
    name: str, wanted: Any, run: RunState, observation: Observation, *, turn: int, promptkit: bool
) -> bool | None:
    """Return True if a condition is met, None if it is unknown."""
    names = [as_str(call.get("name")) for call in observation.calls]
    match name:
        case "tool_called":
            return wanted in names
        case "tool_called_pattern":
            return any(matches(as_str(wanted), name) for name in names)
        case "any_tool_called":
            return bool(names) == bool(wanted)
        case "min_tool_calls":
            return not is_number(wanted) or len(names) >= wanted
        case "has_variable" if not promptkit:
            return all(
                run.inputs.get(one)
                for one in ([wanted] if isinstance(wanted, str) else as_str_list(wanted))
            )
        case "turn_count_gte" if not promptkit:
            return not is_number(wanted) or turn >= wanted
    return None
