"""Values of a drawing, as a client sends them: positions, sizes and routes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workflows.core.pack.layout_text import LARGEST
from workflows.errors import BadRequest


def point(key: str, value: Any) -> dict[str, float]:
    """The x and y of a list of two numbers. Raises BadRequest."""
    x, y = _figures(f"The position of {key!r}", value, 2, key)
    return {"x": x, "y": y}


def routes_of_state(key: str, value: Any) -> dict[str, dict[str, Any]]:
    """The routes of a state by their ids, each `{points, label, source, target}`. Raises
    BadRequest."""
    if not isinstance(value, Mapping):
        raise BadRequest(f"The routes of {key!r} are not an object.", where=key)
    return {id: _route(id, route) for id, route in value.items()}


def figure(value: Any) -> float:
    """A coordinate that a canvas can draw. Raises BadRequest."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadRequest("A position or size is a number.", where=str(value)[:40])
    if not abs(value) <= LARGEST:  # NaN is not, either.
        raise BadRequest("A position or size is too large.", where=str(value)[:40])
    return float(value)


def _route(id: str, value: Any) -> dict[str, Any]:
    named = f"The route of {id!r}"
    if not isinstance(value, Mapping) or not isinstance(value.get("points"), list):
        raise BadRequest(f"{named} is not an object with a list of `points`.", where=id)
    points = [_figures(f"{named} has a point that", one, 2, id) for one in value["points"]]
    if len(points) < 2:
        raise BadRequest(f"{named} needs two points or more.", where=id)
    label = value.get("label")
    return {
        "points": points,
        "label": None if label is None else _figures(f"The label of {id!r}", label, 2, id),
        **{end: _figures(f"The {end} of {id!r}", value.get(end), 4, id) for end in ENDS},
    }


ENDS = ("source", "target")


def _figures(subject: str, value: Any, count: int, where: str) -> list[float]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != count:
        number = {2: "two", 4: "four"}[count]
        raise BadRequest(f"{subject} is not a list of {number} numbers.", where=where)
    return [figure(one) for one in value]
