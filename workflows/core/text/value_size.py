"""The size of a JSON value."""

from __future__ import annotations

from typing import Any


def text_size(value: Any) -> int:
    """The number of characters in the texts and keys of a value, and one for each other value."""
    size, rest = 0, [value]
    while rest:
        match rest.pop():
            case str() as text:
                size += len(text)
            case dict() as items:
                rest += [*items, *items.values()]
            case list() | tuple() as items:
                rest += items
            case _:
                size += 1
    return size
