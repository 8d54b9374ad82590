"""Values of JSON text, for readers that need no parse tree."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def json_object(data: bytes) -> dict[str, Any]:
    """The outermost object; {} for anything else and for text that is not JSON."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def json_lines(data: bytes) -> list[Any]:
    """The values of the lines that are JSON."""
    found = []
    for line in data.decode("utf-8", "replace").splitlines():
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    return found


def reject_constant(name: str) -> NoReturn:
    """`parse_constant` for `json.loads`. Raises ValueError for NaN and Infinity."""
    raise ValueError(f"{name} is not a JSON value")
