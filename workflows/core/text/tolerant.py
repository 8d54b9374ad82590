"""A tolerant reader of JSON values: a value of a wrong type counts as missing."""

from __future__ import annotations

from typing import Any


def as_object(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_str(value: Any) -> str:
    """The value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def as_positive_int(value: Any) -> int | None:
    """The value if it is an integer of at least 1, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None


def is_number(value: Any) -> bool:
    """True for a number that is not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_object_map(value: Any) -> dict[str, dict[str, Any]]:
    """The members of an object that are objects."""
    return {key: item for key, item in as_object(value).items() if isinstance(item, dict)}


def as_str_map(value: Any) -> dict[str, str]:
    """The members of an object that are strings."""
    return {key: item for key, item in as_object(value).items() if isinstance(item, str)}


def as_str_list(value: Any) -> list[str]:
    """The elements of a list that are strings."""
    return [item for item in as_list(value) if isinstance(item, str)]


def indexed_objects(value: Any) -> list[tuple[int, dict[str, Any]]]:
    """The elements of a list that are objects, each with its index."""
    return [(index, item) for index, item in enumerate(as_list(value)) if isinstance(item, dict)]
