"""Arrows of thumbnails: horizontal and vertical lines with round corners, as on the canvas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from workflows.core.pack.thumbnail import Arrow, Box

Point = tuple[float, float]
STEP = 36.0
"""Distance of a vertical line from the side of a state."""


def is_bowed(arrow: Arrow) -> bool:
    """Return True for an arrow that may run above or below its two states."""
    a, b = arrow.source, arrow.target
    return a is b or abs(a.y - b.y) < min(a.height, b.height) / 2


def route(arrow: Arrow, boxes: Sequence[Box], bow: float) -> list[Point]:
    """The corners of an arrow: of the possible ways, the one that crosses the fewest states.
    `bow` is the distance of a line above or below its states."""
    others = [box for box in boxes if box is not arrow.source and box is not arrow.target]
    return min(_ways(arrow, bow), key=lambda way: _crossings(way, others))


def rounded(points: Sequence[Point], radius: float) -> str:
    """The path through these points."""
    (x, y), *_ = points
    parts = [f"M{x:.0f} {y:.0f}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        start = _towards(corner, before, radius)
        end = _towards(corner, after, radius)
        parts.append(
            f"L{start[0]:.0f} {start[1]:.0f}"
            f"Q{corner[0]:.0f} {corner[1]:.0f} {end[0]:.0f} {end[1]:.0f}"
        )
    x, y = points[-1]
    return "".join([*parts, f"L{x:.0f} {y:.0f}"])


def _ways(arrow: Arrow, bow: float) -> Iterator[list[Point]]:
    """The best way first: it wins over others with as many crossings."""
    a, b = arrow.source, arrow.target
    if a is b:
        middle = a.x + a.width / 2
        yield [(middle + 30, a.y), (middle + 30, a.y - bow), (middle - 30, a.y - bow),
               (middle - 30, a.y)]  # fmt: skip
        return
    if b.x >= a.x + a.width:
        yield from _forward(a, b)
    if b.y >= a.y + a.height or a.y >= b.y + b.height:
        yield _vertical(a, b)
    elif not is_bowed(arrow) and a.x > b.x + b.width:
        yield _backward(a, b)
    if b.x >= a.x + a.width:
        yield _around(a, b, above=True, bow=bow)
    yield _around(a, b, above=False, bow=bow)
    yield _around(a, b, above=True, bow=bow)


def _forward(a: Box, b: Box) -> Iterator[list[Point]]:
    """From the right side to the left one."""
    start = (a.x + a.width, a.y + a.height / 2)
    end = (b.x, b.y + b.height / 2)
    if abs(start[1] - end[1]) < 1:
        yield [start, (end[0], start[1])]
        return
    gap = end[0] - start[0]
    for x in (start[0] + min(STEP, gap / 2), end[0] - min(STEP, gap / 2)):
        yield [start, (x, start[1]), (x, end[1]), end]


def _backward(a: Box, b: Box) -> list[Point]:
    """From the left side to the right one, next to the line of an arrow forward."""
    start = (a.x, a.y + a.height / 4)
    end = (b.x + b.width, b.y + b.height / 4)
    x = end[0] + (start[0] - end[0]) / 4
    return [start, (x, start[1]), (x, end[1]), end]


def _vertical(a: Box, b: Box) -> list[Point]:
    """Between the bottom and the top."""
    down = b.y > a.y
    start = (a.x + a.width / 2, a.y + (a.height if down else 0))
    end = (b.x + b.width / 2, b.y + (0 if down else b.height))
    if abs(start[0] - end[0]) < 1:
        return [start, (start[0], end[1])]
    level = (start[1] + end[1]) / 2
    return [start, (start[0], level), (end[0], level), end]


def _around(a: Box, b: Box, *, above: bool, bow: float) -> list[Point]:
    """Above or below both states."""
    forward = b.x >= a.x
    start_x = a.x + a.width * (0.7 if forward else 0.4)
    end_x = b.x + b.width * (0.3 if forward else 0.6)
    if above:
        level = min(a.y, b.y) - bow
        return [(start_x, a.y), (start_x, level), (end_x, level), (end_x, b.y)]
    level = max(a.y + a.height, b.y + b.height) + bow
    return [(start_x, a.y + a.height), (start_x, level), (end_x, level), (end_x, b.y + b.height)]


def _crossings(way: Sequence[Point], boxes: Sequence[Box]) -> int:
    return sum(_crosses(start, end, box) for start, end in pairwise(way) for box in boxes)


def _crosses(start: Point, end: Point, box: Box) -> bool:
    return (
        min(start[0], end[0]) < box.x + box.width
        and max(start[0], end[0]) > box.x
        and min(start[1], end[1]) < box.y + box.height
        and max(start[1], end[1]) > box.y
    )


def _towards(corner: Point, other: Point, radius: float) -> Point:
    """The point at this distance from a corner, at most half way to the next one."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = abs(dx) + abs(dy)
    part = min(radius / length, 0.5) if length else 0.0
    return corner[0] + dx * part, corner[1] + dy * part
