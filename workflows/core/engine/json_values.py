"""Conversion of values to plain JSON: an event survives being stored and read back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

ATOMS = frozenset({str, int, bool, float, type(None)})
"""Types whose values are their own JSON."""


def to_json_value(value: Any) -> Any:
    """A copy made of dict, list, str, int, float, bool and None only.

    Dataclasses become objects, tuples become arrays; anything unknown becomes its text.
    """
    if type(value) in ATOMS:
        return value
    if isinstance(value, (list, tuple)):
        return [item if type(item) in ATOMS else to_json_value(item) for item in value]
    if is_dataclass(value):
        return {item.name: to_json_value(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, (dict, Mapping)):
        return {
            str(key): item if type(item) in ATOMS else to_json_value(item)
            for key, item in value.items()
        }
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return list(map(to_json_value, value))
    return str(value)


def finite(value: Any) -> Any:
    """The same value with infinite numbers as text, which JSON does not have as numbers."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case dict():
            return {key: finite(item) for key, item in value.items()}
        case list() | tuple():
            return [finite(item) for item in value]
        case _:
            return value


def exceeds_depth(levels: int, value: Any) -> bool:
    """Return True if maps and lists are nested deeper than this. Works level by level, so no input
    is too deep for it."""
    here = [value]
    for _ in range(levels + 1):
        inner: list[Any] = []
        for one in here:
            if isinstance(one, (dict, Mapping)):
                inner.extend(one.values())
            elif isinstance(one, (list, tuple)):
                inner.extend(one)
        if not inner:
            return False
        here = inner
    return True
