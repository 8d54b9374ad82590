"""Conversion of values to plain JSON: an event survives being stored and read back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

ATOMS = frozenset({str, int, bool, float, type(None)})
"""Types whose values are their own JSON."""


def to_json_value(value: Any) -> Any:
    """A copy made of dict, list, str, int, float, bool and None only.

    Dataclasses become objects, tuples become arrays; anything unknown becomes its text.
    """
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind is dict:
        return {
            key if type(key) is str else str(key): item
            if type(item) in ATOMS
            else to_json_value(item)
            for key, item in value.items()
        }
    if kind is list or kind is tuple:
        if not value:
            return []
        return [item if type(item) in ATOMS else to_json_value(item) for item in value]
    names = _fields_of(kind)  # type: ignore[arg-type]  # Every class can be hashed.
    if names is not None:
        return {
            name: item if type(item := getattr(value, name)) in ATOMS else to_json_value(item)
            for name in names
        }
    return _odd(value)


@cache
def _fields_of(kind: type) -> tuple[str, ...] | None:
    """Names of the fields of a dataclass. None for other classes, and for dataclasses that are also
    one of the types with an own conversion."""
    if not is_dataclass(kind) or issubclass(kind, (str, int, float, Mapping, Sequence)):
        return None
    return tuple(item.name for item in fields(kind))


def _odd(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_json_value(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [to_json_value(item) for item in value]
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
            if type(one) in ATOMS:
                continue
            if isinstance(one, (dict, Mapping)):
                inner.extend(one.values())
            elif isinstance(one, (list, tuple)):
                inner.extend(one)
        if not inner:
            return False
        here = inner
    return True
