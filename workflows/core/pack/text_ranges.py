"""The part of a file that each element of a pack occupies: cursor to element, element to line."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from workflows.core.pack.edits import EditRefused
from workflows.core.pack.findings import Place
from workflows.core.pack.text_points import TextPoint, TextPoints
from workflows.core.text.json.pointer import pointer_text
from workflows.core.text.json.value_ranges import value_ranges

if TYPE_CHECKING:
    from workflows.core.dialects.base import Dialect
    from workflows.core.pack.graph import Graph

Placed = dict[str, list[tuple[str, Place]]]
"""Elements with their places by the path of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRange:
    """The text of one element, its key included. `start` and `end` are bytes of the file."""

    element: str
    start: int
    end: int
    first: TextPoint
    last: TextPoint

    def to_json(self) -> dict[str, object]:
        """`{element, line, column, end_line, end_column}`."""
        return {
            "element": self.element,
            "line": self.first.line,
            "column": self.first.column,
            "end_line": self.last.line,
            "end_column": self.last.column,
        }


class PackRanges:
    """The ranges of the elements of one pack. The places are found once, for all of its files."""

    def __init__(self, dialect: Dialect, source: Any, graph: Graph) -> None:
        self._dialect = dialect
        self._source = source
        self._graph = graph

    def of(self, path: str) -> tuple[TextRange, ...]:
        """The ranges of a file's elements. An outer element comes before those that it contains;
        of elements with the same text, the drawn one comes last."""
        data = self._source.files.get(path)
        if data is None:
            return ()
        json_spans = _json_ranges(data)
        whole = (0, len(data))
        spans: dict[str, tuple[int, int]] = {}
        for element, place in self._places(path):
            span = _span(json_spans, place.pointer.partition("#")[0], whole)
            if span is not None:
                spans.setdefault(element, span)
        at = cache(TextPoints(data).at)
        order = sorted(spans.items(), key=lambda one: (one[1][0], -one[1][1], _drawn(one[0])))
        return tuple(
            TextRange(element=element, start=start, end=end, first=at(start), last=at(end))
            for element, (start, end) in order
        )

    def _places(self, path: str) -> Iterator[tuple[str, Place]]:
        """Elements with their place in this file: drawn ones, then objects, then states whose form
        links the file, such as the state of a prompt file."""
        yield from self._drawn_places.get(path, ())
        if not self._source.readable:
            return
        places, listed_files = self._objects
        yield from places.get(path, ())
        if path == self._source.main:
            return
        users = self._users.get(path, ())
        yield from ((element, Place(path=path)) for element in users)
        if path in listed_files and not users:
            yield f"file:{path}", Place(path=path)

    @cached_property
    def _drawn_places(self) -> Placed:
        places: Placed = {}
        drawn = [(transition.element, transition.place) for transition in self._graph.transitions]
        drawn += [(state.element, state.place) for state in self._graph.states]
        for element, place in drawn:
            places.setdefault(place.path, []).append((element, place))
        return places

    @cached_property
    def _objects(self) -> tuple[Placed, frozenset[str]]:
        """The places of the outline's objects, and the files that the outline lists."""
        places: Placed = {}
        files: set[str] = set()
        for section in self._dialect.outline(self._source):
            for element, _ in section.items:
                if element.startswith("file:"):
                    files.add(element.removeprefix("file:"))
                elif element != "pack" and (place := self._place(element)) is not None:
                    places.setdefault(place.path, []).append((element, place))
        return places, frozenset(files)

    def _place(self, element: str) -> Place | None:
        try:
            return self._dialect.element_place(self._source, element, self._graph.profile).place
        except EditRefused:
            return None

    @cached_property
    def _users(self) -> dict[str, list[str]]:
        """The states whose form links a file, by its path."""
        users: dict[str, list[str]] = {}
        for state in self._graph.states:
            key = state.element.partition(":")[2]
            for path in self._dialect.state_files(self._source, key):
                users.setdefault(path, []).append(state.element)
        return users


class ElementIndex:
    """The elements at each byte of one file, from its ranges."""

    def __init__(self, ranges: tuple[TextRange, ...]) -> None:
        elements: dict[tuple[int, int], list[str]] = {}
        for one in ranges:
            elements.setdefault((one.start, one.end), []).append(one.element)
        self._spans = list(elements)
        self._starts = [start for start, _ in self._spans]
        self._elements = [_preferred(same) for same in elements.values()]
        self._outer = _containers(self._spans)

    def at(self, offset: int) -> tuple[str, ...]:
        """The innermost element at a byte, and others with the same text; `pack` for all other
        text."""
        index = bisect_right(self._starts, offset) - 1
        while index >= 0 and self._spans[index][1] < offset:
            index = self._outer[index]
        return self._elements[index] if index >= 0 else ("pack",)


def _containers(spans: list[tuple[int, int]]) -> list[int]:
    """For each span the index of the innermost one around it, -1 for none. Outer ones come before
    those that they contain."""
    containers: list[int] = []
    open_spans: list[int] = []
    for index, (_, end) in enumerate(spans):
        while open_spans and spans[open_spans[-1]][1] < end:
            open_spans.pop()
        containers.append(open_spans[-1] if open_spans else -1)
        open_spans.append(index)
    return containers


def _preferred(elements: list[str]) -> tuple[str, ...]:
    """Of elements with the same text the drawn ones; all if none is drawn."""
    return tuple([one for one in elements if _drawn(one)] or elements)


def _drawn(element: str) -> bool:
    return element.startswith(("state:", "transition:"))


def _json_ranges(data: bytes) -> dict[str, tuple[int, int]]:
    """The ranges of a JSON text; {} for other texts."""
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return {pointer_text(pointer): span for pointer, span in value_ranges(data).items()}


def _span(
    spans: dict[str, tuple[int, int]], pointer: str, whole: tuple[int, int]
) -> tuple[int, int] | None:
    """The bytes of a value, or of the nearest one above it that the file has."""
    if not pointer:
        return whole
    while pointer and pointer not in spans:
        pointer = pointer.rpartition("/")[0]
    return spans[pointer] if pointer else None
