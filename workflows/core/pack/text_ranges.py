"""The part of a file that each element of a pack occupies: cursor to element, element to line."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workflows.core.pack.edits import EditRefused
from workflows.core.pack.findings import Place
from workflows.core.text.json.pointer import pointer_text
from workflows.core.text.json.value_ranges import value_ranges

if TYPE_CHECKING:
    from workflows.core.dialects.base import Dialect
    from workflows.core.pack.forms import Form
    from workflows.core.pack.graph import Graph

MAX_FORMS = 2_000
"""Forms that are made to find the places of objects. Further objects have no range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPoint:
    """A place in a text: `line` counts from 1, `column` from 0 in UTF-16 units, as editors do."""

    line: int
    column: int


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


def text_ranges(dialect: Dialect, source: Any, graph: Graph, path: str) -> tuple[TextRange, ...]:
    """The ranges of a file's elements. An outer element comes before those that it contains; of
    elements with the same text, the drawn one comes last."""
    data = source.files.get(path)
    if data is None:
        return ()
    json_spans = _json_ranges(data)
    whole = (0, len(data))
    spans: dict[str, tuple[int, int]] = {}
    for element, place in _places(dialect, source, graph, path):
        span = _span(json_spans, place.pointer.partition("#")[0], whole)
        if span is not None:
            spans.setdefault(element, span)
    points = _Points(data)
    order = sorted(spans.items(), key=lambda one: (one[1][0], -one[1][1], _drawn(one[0])))
    return tuple(
        TextRange(
            element=element, start=start, end=end, first=points.at(start), last=points.at(end)
        )
        for element, (start, end) in order
    )


def elements_at(ranges: tuple[TextRange, ...], offset: int) -> tuple[str, ...]:
    """The innermost element at a byte, and others with the same text; `pack` for all other text."""
    inner = [one for one in ranges if one.start <= offset <= one.end]
    if not inner:
        return ("pack",)
    best = min(inner, key=lambda one: one.end - one.start)
    same = [one for one in inner if (one.start, one.end) == (best.start, best.end)]
    drawn = [one.element for one in same if _drawn(one.element)]
    return tuple(drawn or [one.element for one in same])


def _drawn(element: str) -> bool:
    return element.startswith(("state:", "transition:"))


def _places(dialect: Dialect, source: Any, graph: Graph, path: str) -> Iterator[tuple[str, Place]]:
    """Elements with their place in this file: drawn ones, then objects, then states whose form
    links the file, such as the state of a prompt file."""
    drawn = [(transition.element, transition.place) for transition in graph.transitions]
    drawn += [(state.element, state.place) for state in graph.states]
    yield from ((element, place) for element, place in drawn if place.path == path)
    if not source.readable:
        return
    files = None
    items = [item for section in dialect.outline(source) for item, _ in section.items]
    for element in items[:MAX_FORMS]:
        if element == f"file:{path}":
            files = element
            continue
        form = None if element.startswith("file:") else _form(dialect, source, graph, element)
        if form is not None and form.place.path == path and element != "pack":
            yield element, form.place
    users = () if path == source.main else graph.states[:MAX_FORMS]
    for state in users:
        form = _form(dialect, source, graph, state.element)
        if form is not None and any(link == f"file:{path}" for link, _ in form.links):
            yield state.element, Place(path=path)
            files = None
    if files is not None and path != source.main:
        yield files, Place(path=path)


def _form(dialect: Dialect, source: Any, graph: Graph, element: str) -> Form | None:
    try:
        return dialect.fields(source, element, graph.profile)
    except EditRefused:
        return None


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


class _Points:
    """Bytes of one text as lines and columns."""

    def __init__(self, data: bytes) -> None:
        text = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
        self._data = data
        self._starts = [0, *(at + 1 for at, byte in enumerate(text) if byte == 10)]

    def at(self, offset: int) -> TextPoint:
        line = bisect_right(self._starts, offset)
        before = self._data[self._starts[line - 1] : offset].removeprefix(b"\xef\xbb\xbf")
        column = len(before.decode("utf-8", "replace").encode("utf-16-le")) // 2
        return TextPoint(line=line, column=column)
