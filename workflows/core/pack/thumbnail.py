"""A small drawing of a graph: placed cards and arrows, within limits of size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Any

from workflows.core.pack.graph import Graph
from workflows.core.pack.thumbnail_layout import COLUMN, HEIGHT, ROW, WIDTH, layout

MOST_STATES = 240
MOST_ARROWS = 480
RIM = 24.0
"""Margin around the states, in canvas units."""
WIDEST = 5.0
"""Width by height of a drawing; a wider one without saved positions continues in the next band."""
ASPECT = 2.1
DASHED = ("redirect", "fallback")


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One state, with its top left corner."""

    id: str
    kind: str
    terminal: bool
    entry: bool
    x: float
    y: float
    width: float = WIDTH
    height: float = HEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """One transition between two boxes."""

    source: Box
    target: Box
    dashed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Thumbnail:
    """`more` is the number of states that are not drawn."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    width: float
    height: float
    more: int = 0

    def to_json(self) -> dict[str, Any]:
        """`{width, height, states: [{id, x, y, w, h, kind, terminal, entry}], lines}`; a line is
        `[x1, y1, x2, y2, dashed]`, from middle to middle."""
        return {
            "width": self.width,
            "height": self.height,
            "states": [
                {
                    "id": box.id, "x": box.x, "y": box.y, "w": box.width, "h": box.height,
                    "kind": box.kind, "terminal": box.terminal, "entry": box.entry,
                }
                for box in self.boxes
            ],
            "lines": [
                [*_middle(arrow.source), *_middle(arrow.target), arrow.dashed]
                for arrow in self.arrows
                if arrow.source is not arrow.target
            ],
        }  # fmt: skip


def thumbnail(
    states: Sequence[Mapping[str, Any]], arrows: Iterable[Mapping[str, Any]], total: int
) -> Thumbnail:
    """The drawing of these rows: states with key, kind, terminal, entry, x, y, width, height (the
    last four may be None), and transitions with source, target, kind. `total` is the number of
    states of the pack."""
    states = states[:MOST_STATES]
    ends = [(arrow["source"], arrow["target"], arrow["kind"] in DASHED) for arrow in arrows]
    placed = {
        row["key"]: (row["x"], row["y"])
        for row in states
        if row["x"] is not None and row["y"] is not None
    }
    where = layout(
        [row["key"] for row in states],
        [(source, target) for source, target, _ in ends],
        [row["key"] for row in states if row["entry"]],
        placed,
    )
    boxes = [
        Box(
            id=row["key"],
            kind=row["kind"],
            terminal=row["terminal"],
            entry=row["entry"],
            x=where[row["key"]][0],
            y=where[row["key"]][1],
            width=row["width"] or WIDTH,
            height=row["height"] or HEIGHT,
        )
        for row in states
    ]
    if not placed:
        boxes = _in_bands(boxes)
    return _cropped(boxes, ends, more=max(0, total - len(boxes)))


def thumbnail_of(graph: Graph) -> Thumbnail:
    """The drawing of the first level of a graph without saved positions."""
    first = graph.on("")
    entries = {entry.state for entry in first.entries}
    places: dict[str, None] = dict.fromkeys(("x", "y", "width", "height"))
    states = [
        {
            "key": state.id, "kind": state.kind, "terminal": state.terminal,
            "entry": state.id in entries, **places,
        }
        for state in first.states
    ]  # fmt: skip
    arrows = [
        {"source": arrow.source, "target": arrow.target, "kind": arrow.kind}
        for arrow in first.transitions[:MOST_ARROWS]
    ]
    return thumbnail(states, arrows, len(states))


def _cropped(boxes: list[Box], ends: Iterable[tuple[str, str, bool]], *, more: int) -> Thumbnail:
    left = min((box.x for box in boxes), default=0.0) - RIM
    top = min((box.y for box in boxes), default=0.0) - RIM
    boxes = [replace(box, x=box.x - left, y=box.y - top) for box in boxes]
    by_id = {box.id: box for box in boxes}
    arrows = [
        Arrow(source=by_id[source], target=by_id[target], dashed=dashed)
        for source, target, dashed in ends
        if source in by_id and target in by_id
    ]
    return Thumbnail(
        boxes=tuple(boxes),
        arrows=tuple(arrows[:MOST_ARROWS]),
        width=max((box.x + box.width for box in boxes), default=0.0) + RIM,
        height=max((box.y + box.height for box in boxes), default=0.0) + RIM,
        more=more,
    )


def _in_bands(boxes: list[Box]) -> list[Box]:
    """The columns of an automatic layout, each in the middle of its band. A long row of columns
    continues below its start."""
    columns: dict[float, list[Box]] = {}
    for box in boxes:
        columns.setdefault(box.x, []).append(box)
    order = sorted(columns)
    tallest = max((len(column) for column in columns.values()), default=1)
    high = (tallest + 0.5) * ROW
    each = len(order) or 1
    if each * COLUMN > WIDEST * high:
        each = max(3, ceil(sqrt(ASPECT * len(order) * high / COLUMN)))
    placed: dict[str, Box] = {}
    for number, x in enumerate(order):
        column = columns[x]
        start = (number // each) * high + (tallest - len(column)) * ROW / 2
        for row, box in enumerate(column):
            placed[box.id] = replace(box, x=(number % each) * COLUMN, y=start + row * ROW)
    return [placed[box.id] for box in boxes]


def _middle(box: Box) -> tuple[float, float]:
    return box.x + box.width / 2, box.y + box.height / 2
