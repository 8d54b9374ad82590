"""A small drawing of a graph: placed cards and arrows, within limits of size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Any

from workflows.core.pack.graph import Graph
from workflows.core.pack.thumbnail_layout import COLUMN, HEIGHT, ROW, WIDTH, Point, layout

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
    """One transition between two boxes. `points`: its line on the canvas; empty for none."""

    source: Box
    target: Box
    dashed: bool
    points: tuple[Point, ...] = ()


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
    """The drawing of these rows: states with key, kind, terminal, entry, x, y, width, height,
    routes (the last five may be None), and transitions with key, source, target, kind. `total` is
    the number of states of the pack."""
    states = states[:MOST_STATES]
    arrows = list(arrows)
    ends = [(arrow["source"], arrow["target"]) for arrow in arrows]
    placed = {
        row["key"]: (row["x"], row["y"])
        for row in states
        if row["x"] is not None and row["y"] is not None
    }
    where = layout(
        [row["key"] for row in states],
        ends,
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
    by_id = {box.id: box for box in boxes}
    routes = {row["key"]: row["routes"] or {} for row in states}
    drawn = [
        Arrow(
            source=by_id[arrow["source"]],
            target=by_id[arrow["target"]],
            dashed=arrow["kind"] in DASHED,
            points=_line(
                routes[arrow["source"]].get(arrow["key"]),
                by_id[arrow["source"]],
                by_id[arrow["target"]],
            ),
        )
        for arrow in arrows
        if arrow["source"] in by_id and arrow["target"] in by_id
    ]
    return _cropped(boxes, drawn[:MOST_ARROWS], more=max(0, total - len(boxes)))


def thumbnail_of(graph: Graph) -> Thumbnail:
    """The drawing of the first level of a graph without saved positions."""
    first = graph.on("")
    entries = {entry.state for entry in first.entries}
    places: dict[str, None] = dict.fromkeys(("x", "y", "width", "height", "routes"))
    states = [
        {
            "key": state.id, "kind": state.kind, "terminal": state.terminal,
            "entry": state.id in entries, **places,
        }
        for state in first.states
    ]  # fmt: skip
    arrows = [
        {"key": arrow.id, "source": arrow.source, "target": arrow.target, "kind": arrow.kind}
        for arrow in first.transitions[:MOST_ARROWS]
    ]
    return thumbnail(states, arrows, len(states))


def _line(route: Any, source: Box, target: Box) -> tuple[Point, ...]:
    """The points of a stored route that was drawn for these places of both cards."""
    if not route:
        return ()
    for box, (x, y, *_) in ((source, route["source"]), (target, route["target"])):
        if (box.x, box.y) != (x, y):
            return ()
    return tuple((x, y) for x, y in route["points"])


def _cropped(boxes: Sequence[Box], arrows: Sequence[Arrow], *, more: int) -> Thumbnail:
    """The drawing moved to the margin, around cards and lines."""
    lines = [point for arrow in arrows for point in arrow.points]
    left = min([*(box.x for box in boxes), *(x for x, _ in lines)], default=0.0) - RIM
    top = min([*(box.y for box in boxes), *(y for _, y in lines)], default=0.0) - RIM
    right = max([*(box.x + box.width for box in boxes), *(x for x, _ in lines)], default=0.0)
    bottom = max([*(box.y + box.height for box in boxes), *(y for _, y in lines)], default=0.0)
    moved = {box.id: replace(box, x=box.x - left, y=box.y - top) for box in boxes}
    return Thumbnail(
        boxes=tuple(moved.values()),
        arrows=tuple(
            replace(
                arrow,
                source=moved[arrow.source.id],
                target=moved[arrow.target.id],
                points=tuple((x - left, y - top) for x, y in arrow.points),
            )
            for arrow in arrows
        ),
        width=(right - left if boxes else RIM) + RIM,
        height=(bottom - top if boxes else RIM) + RIM,
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
