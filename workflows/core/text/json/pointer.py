"""From a pointer to a place: RFC 6901, with keys and indexes as a tuple."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from workflows.core.text.json.tree import Site

Pointer: TypeAlias = tuple[str | int, ...]

_INDEX = re.compile("0|[1-9][0-9]{0,9}")


def pointer_of(text: str) -> Pointer:
    """The pointer a JSON Pointer text stands for. ValueError if it is none."""
    if not text:
        return ()
    if not text.startswith("/"):
        raise ValueError(f"a pointer begins with '/': {text!r}")
    return tuple(map(unescape, text[1:].split("/")))


def pointer_text(pointer: Iterable[str | int]) -> str:
    """The JSON Pointer text of a pointer."""
    return "".join("/" + escape(str(segment)) for segment in pointer)


def escape(key: str) -> str:
    """The key as a segment of a JSON Pointer text."""
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


def unescape(segment: str) -> str:
    """The key that a segment of a JSON Pointer text names."""
    return segment.replace("~1", "/").replace("~0", "~") if "~" in segment else segment


def index_in(site: Site, segment: str | int) -> int | None:
    """The index of the member that a segment names; None if it is missing."""
    value = site.node.value
    if isinstance(value, dict):
        return site.body.place(str(segment)) if value else None
    if not isinstance(value, list):
        return None
    number = number_of(segment)
    return number if number is not None and number < len(value) else None


def number_of(segment: str | int) -> int | None:
    """The array index a segment stands for, if it is one: no sign, no leading zero."""
    if isinstance(segment, int):
        return segment if segment >= 0 else None
    return int(segment) if _INDEX.fullmatch(segment) else None


def end_of(container: Site, pointer: Pointer) -> int:
    """The place after the last member; in an array the pointer must name it too."""
    size = len(container.node.value)
    listed = isinstance(container.node.value, list)
    if listed and pointer[-1] != "-" and number_of(pointer[-1]) != size:
        raise KeyError(pointer_text(pointer))
    return container.size if size else 0


def array_place(container: Site, last: str | int, index: int | None) -> int | None:
    """The index of a new element: `index`, or what the pointer ends in; None for the end."""
    if not isinstance(container.node.value, list):
        raise KeyError(str(last))
    if index is not None:
        return index
    if last == "-":
        return None
    number = number_of(last)
    if number is None:
        raise KeyError(str(last))
    return number


def position_in(container: Site, before: str | None, index: int | None) -> int:
    """The place of a new member: before a key, at an index, or at the end."""
    size = container.size if container.node.value else 0
    if before is not None:
        place = container.body.place(before) if size else None
        if place is None:
            raise KeyError(before)
        return place
    if index is None:
        return size
    if not 0 <= index <= size:
        raise IndexError(f"there is no place {index} among {size}")
    return index
