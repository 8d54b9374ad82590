"""Both versions of a pack in one drawing: added green, removed red and dashed, changed amber.

Self-contained SVG. Colours are attributes, so that every viewer shows them; the style sheet only
adds the colours of a dark page. Every mark has a sign and a title besides its colour.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from workflows.core.compare.difference import Difference
from workflows.core.pack.graph import Graph, Transition
from workflows.core.pack.thumbnail_layout import HEIGHT, WIDTH, Point, layout

WIDER = 1.55
HIGHER = 1.3
"""Space between states for labels, which thumbnails do not have."""
MARGIN = 40.0
TOP = 96.0
LETTER = 7.0
CELL = 8.0
LONGEST_NAME = 24
LONGEST_LABEL = 26
SIGNS = {"added": "+", "removed": "−", "changed": "~", "same": "", "missing": "?"}
WORDS = {mark: mark for mark in ("added", "removed", "changed")}
LIGHT = {
    "added": ("#1a7f37", "#dafbe1"),
    "removed": ("#cf222e", "#ffebe9"),
    "changed": ("#9a6700", "#fff8c5"),
    "same": ("#6e7781", "#ffffff"),
    "missing": ("#6e7781", "#f6f8fa"),
}
DARK = {
    "added": ("#3fb950", "#12261e"),
    "removed": ("#f85149", "#2d1517"),
    "changed": ("#d29922", "#2b2111"),
    "same": ("#8b949e", "#161b22"),
    "missing": ("#8b949e", "#0d1117"),
}
PAGE, INK = ("#f6f8fa", "#0d1117"), ("#1f2328", "#e6edf3")
Bends = tuple[Point, Point, Point, Point]
"""Both ends of a curve, and the two control points between them."""

_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    id: str
    mark: str
    title: str
    terminal: bool = False
    was: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    source: str
    target: str
    label: str
    mark: str
    dashed: bool
    title: str


def as_svg(before: Graph, after: Graph, diff: Difference, words: Mapping[str, str] = WORDS) -> str:
    """The drawing as an SVG document: the first level, and every other level that differs.
    `words`: the names of the marks in the legend."""
    before, after = _worth_drawing(before, after, diff)
    lines = _lines(before, after, diff)
    boxes = _boxes(before, after, diff, lines)
    entries = [entry.state for entry in after.entries]
    ends = [(line.source, line.target) for line in lines if line.mark != "removed"]
    ends += [(line.source, line.target) for line in lines if line.mark == "removed"]
    places = {
        id: (MARGIN + x * WIDER, TOP + y * HIGHER)
        for id, (x, y) in layout([box.id for box in boxes], ends, entries, {}).items()
    }
    width = max((x for x, _ in places.values()), default=0.0) + WIDTH + 2 * MARGIN + 80
    height = max((y for _, y in places.values()), default=0.0) + HEIGHT + 2 * MARGIN
    root = _page(max(width, 640), height, after.name or before.name)
    _legend(root, after.name or before.name, boxes, lines, words)
    drawing = Drawing(places, lines)
    for line in sorted(lines, key=lambda line: line.mark != "same"):
        drawing.line(root, line)
    for box in boxes:
        _box(root, box, places[box.id], entry=box.id in entries)
    drawing.settle(lines)
    for line in sorted(lines, key=lambda line: line.mark != "same"):
        drawing.label(root, line)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _worth_drawing(before: Graph, after: Graph, diff: Difference) -> tuple[Graph, Graph]:
    """Both versions without the lower levels that are equal in both."""
    if before.levels == after.levels == ("",):
        return before, after
    touched, named = {"", *({*before.levels} ^ {*after.levels})}, _named(diff)
    for graph in (before, after):
        levels = {state.id: state.level for state in graph.states}
        ids = named.intersection(levels)
        ids |= {transition.source for transition in graph.transitions if transition.id in named}
        touched |= {levels.get(id, "") for id in ids}
    return _only(before, touched), _only(after, touched)


def _named(diff: Difference) -> frozenset[str]:
    """Every state and transition in the difference."""
    names = set()
    for part in (diff.states, diff.transitions):
        names |= {*part.added, *part.removed, *part.changed}
        names |= {name for pair in part.renamed for name in pair}
    return frozenset(names)


def _only(graph: Graph, levels: Set[str]) -> Graph:
    parts = [graph.on(level) for level in graph.levels if level in levels]
    return replace(
        graph,
        entries=tuple(entry for part in parts for entry in part.entries),
        states=tuple(state for part in parts for state in part.states),
        transitions=tuple(transition for part in parts for transition in part.transitions),
    )


def _lines(before: Graph, after: Graph, diff: Difference) -> list[Line]:
    added, changed = set(diff.transitions.added), set(diff.transitions.changed)
    moved = {now: was for was, now in diff.transitions.renamed}
    gone = {*diff.transitions.removed, *moved.values()}
    names = dict(diff.states.renamed)
    lines = []
    for transition in after.transitions:
        mark = (
            "added" if transition.id in added else "changed" if transition.id in changed else "same"
        )
        title = f"{mark} {transition.id}" if mark != "same" else transition.id
        if transition.id in moved:
            mark, title = "changed", f"{moved[transition.id]}, now {transition.id}"
        lines.append(_line(transition, mark, title, {}))
    for transition in before.transitions:
        if transition.id in gone:
            lines.append(_line(transition, "removed", f"removed {transition.id}", names))
    return lines


def _line(transition: Transition, mark: str, title: str, names: Mapping[str, str]) -> Line:
    return Line(
        source=names.get(transition.source, transition.source),
        target=names.get(transition.target, transition.target),
        label=transition.label,
        mark=mark,
        dashed=mark == "removed" or transition.inert or transition.kind in ("redirect", "fallback"),
        title=title,
    )


def _boxes(before: Graph, after: Graph, diff: Difference, lines: Iterable[Line]) -> list[Box]:
    """States of both versions, and stubs for targets that are in neither."""
    added, changed = set(diff.states.added), set(diff.states.changed)
    old = {now: was for was, now in diff.states.renamed}
    removed = set(diff.states.removed)
    boxes = {}
    for state in after.states:
        mark = "added" if state.id in added else "changed" if state.id in changed else "same"
        title = f"{mark} {state.id}" if mark != "same" else state.id
        if state.id in old:
            mark, title = "changed", f"{old[state.id]}, now {state.id}"
        boxes[state.id] = Box(
            id=state.id,
            mark=mark,
            title=title,
            terminal=state.terminal,
            was=old.get(state.id, ""),
        )
    for state in before.states:
        if state.id in removed:
            title = f"removed {state.id}"
            boxes[state.id] = Box(id=state.id, mark="removed", title=title, terminal=state.terminal)
    for line in lines:
        for end in (line.source, line.target):
            stub = Box(id=end, mark="missing", title=f"{end} is missing")
            boxes.setdefault(end, stub)
    return list(boxes.values())


class Drawing:
    """Transitions between placed states: each has its own point at both ends."""

    def __init__(self, places: Mapping[str, Point], lines: Iterable[Line]) -> None:
        self.places = places
        self.leaving = Counter(line.source for line in lines)
        self.coming = Counter(line.target for line in lines)
        self.left: Counter[str] = Counter()
        self.come: Counter[str] = Counter()
        self.bends: dict[int, Bends] = {}
        self.spots: dict[int, Point] = {}
        self.taken: set[tuple[int, int]] = set()
        for x, y in places.values():
            self.taken |= _cells(x, y, WIDTH, HEIGHT)

    def line(self, root: Element, line: Line) -> None:
        bends = self._bends(line)
        self.bends[id(line)] = bends
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = bends
        group = _group(root, line.title)
        path = SubElement(
            group,
            "path",
            {
                "class": f"line {line.mark}",
                "d": f"M{ax:.0f} {ay:.0f}C{bx:.0f} {by:.0f} {cx:.0f} {cy:.0f} {dx:.0f} {dy:.0f}",
                "fill": "none",
                "stroke": LIGHT[line.mark][0],
                "stroke-width": "1.5" if line.mark == "same" else "2.5",
                "marker-end": f"url(#head-{line.mark})",
            },
        )
        if line.dashed:
            path.set("stroke-dasharray", "6 5")

    def settle(self, lines: Iterable[Line]) -> None:
        """Place every label; labels of changes first."""
        for line in sorted(lines, key=lambda line: line.mark == "same"):
            self.spots[id(line)] = self._free(self.bends[id(line)], _wide(line))

    def label(self, root: Element, line: Line) -> None:
        if not line.label:
            return
        text, wide = _label(line), _wide(line)
        x, y = self.spots[id(line)]
        group = _group(root, line.title)
        SubElement(
            group,
            "rect",
            _where(x - wide / 2, y - 10, wide, 20)
            | {"class": "page", "rx": "4", "fill": PAGE[0], "fill-opacity": "0.9"},
        )
        _text(group, x, y + 4, text, mark=line.mark, size=12, anchor="middle")

    def _free(self, bends: Bends, wide: float) -> Point:
        """A free position on or near the line; else the middle of the line."""
        spots = [_on(bends, share) for share in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)]
        middle, height = spots[0]
        spots += [(middle, height + aside) for aside in (20, -20, 40, -40)]
        for x, y in spots:
            cells = _cells(x - wide / 2, y - 10, wide, 20)
            if self.taken.isdisjoint(cells):
                self.taken |= cells
                return x, y
        return spots[0]

    def _bends(self, line: Line) -> Bends:
        (sx, sy), (tx, ty) = self.places[line.source], self.places[line.target]
        self.left[line.source] += 1
        self.come[line.target] += 1
        out = self.left[line.source] / (self.leaving[line.source] + 1)
        into = self.come[line.target] / (self.coming[line.target] + 1)
        if line.source == line.target:
            x = sx + WIDTH * (0.3 + 0.4 * out)
            return (x - 30, sy), (x - 50, sy - 46), (x + 50, sy - 46), (x + 30, sy)
        if tx > sx:
            start, end = (sx + WIDTH, sy + HEIGHT * out), (tx - 2, ty + HEIGHT * into)
            reach = max(60.0, (end[0] - start[0]) / 2)
            return start, (start[0] + reach, start[1]), (end[0] - reach, end[1]), end
        if tx == sx:
            start, end = (sx + WIDTH, sy + HEIGHT * out), (tx + WIDTH + 2, ty + HEIGHT * into)
            reach = 30 * self.left[line.source] + abs(sy - ty) / 6
            return start, (start[0] + reach, start[1]), (end[0] + reach, end[1]), end
        start, end = (sx + WIDTH * out, sy + HEIGHT), (tx + WIDTH * into, ty + HEIGHT + 2)
        deep = max(start[1], end[1]) + 34 + 24 * self.left[line.source]
        return start, (start[0], deep), (end[0], deep), end


def _label(line: Line) -> str:
    return f"{SIGNS[line.mark]} {_cut(line.label, LONGEST_LABEL)}".strip()


def _wide(line: Line) -> float:
    return len(_label(line)) * LETTER + 10


def _on(bends: Bends, share: float) -> Point:
    """The point of a cubic curve at this parameter."""
    rest = 1 - share
    parts = (rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3)
    x = sum(part * point[0] for part, point in zip(parts, bends, strict=True))
    return x, sum(part * point[1] for part, point in zip(parts, bends, strict=True))


def _cells(x: float, y: float, width: float, height: float) -> set[tuple[int, int]]:
    """The grid cells that a rectangle covers."""
    columns = range(int(x // CELL), int((x + width) // CELL) + 1)
    rows = range(int(y // CELL), int((y + height) // CELL) + 1)
    return {(column, row) for column in columns for row in rows}


def _page(width: float, height: float, name: str) -> Element:
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    root = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width:.0f} {height:.0f}",
            **size,
            "font-family": "system-ui, sans-serif",
            "role": "img",
        },
    )
    SubElement(root, "title").text = _fit(f"Differences in {name}")
    SubElement(root, "style").text = _dark()
    heads = SubElement(root, "defs")
    for mark, (stroke, _) in LIGHT.items():
        head = SubElement(
            heads,
            "marker",
            {"id": f"head-{mark}", "viewBox": "0 0 10 10", "refX": "9", "refY": "5"}
            | {"markerWidth": "11", "markerHeight": "11", "orient": "auto"}
            | {"markerUnits": "userSpaceOnUse"},
        )
        SubElement(head, "path", {"class": f"head {mark}", "d": "M0 1L9 5L0 9z", "fill": stroke})
    SubElement(root, "rect", {"class": "page", "fill": PAGE[0], **size})
    return root


def _dark() -> str:
    rules = [f".page{{fill:{PAGE[1]}}}", f".ink{{fill:{INK[1]}}}"]
    for mark, (stroke, fill) in DARK.items():
        rules.append(f".box.{mark}{{stroke:{stroke};fill:{fill}}}")
        rules.append(f".line.{mark}{{stroke:{stroke}}}")
        rules.append(f".head.{mark},.sign.{mark}{{fill:{stroke}}}")
    return "@media (prefers-color-scheme: dark){" + "".join(rules) + "}"


def _legend(
    root: Element,
    name: str,
    boxes: Iterable[Box],
    lines: Iterable[Line],
    words: Mapping[str, str],
) -> None:
    counts = Counter(box.mark for box in boxes) + Counter(line.mark for line in lines)
    _text(root, MARGIN, 36, _cut(name, 70), size=18)
    x = MARGIN
    for mark, word in words.items():
        text = f"{SIGNS[mark]} {counts[mark]} {word}"
        _text(root, x, 62, text, mark=mark, size=13)
        x += len(text) * LETTER + 32


def _box(root: Element, box: Box, place: Point, *, entry: bool) -> None:
    x, y = place
    group = _group(root, box.title)
    stroke, fill = LIGHT[box.mark]
    shape = SubElement(
        group,
        "rect",
        _where(x, y, WIDTH, HEIGHT)
        | {"class": f"box {box.mark}", "rx": "10", "fill": fill, "stroke": stroke}
        | {"stroke-width": "1.5" if box.mark == "same" else "2.5"},
    )
    if box.mark in ("removed", "missing"):
        shape.set("stroke-dasharray", "6 5")
    if box.terminal:
        SubElement(
            group,
            "rect",
            _where(x + 4, y + 4, WIDTH - 8, HEIGHT - 8)
            | {"class": f"line {box.mark}", "rx": "7", "fill": "none", "stroke": stroke},
        )
    if entry:
        SubElement(
            group,
            "path",
            {"class": f"head {box.mark}", "fill": stroke}
            | {"d": f"M{x - 18:.0f} {y + 22:.0f}l14 10l-14 10z"},
        )
    if SIGNS[box.mark]:
        _text(group, x + 14, y + 38, SIGNS[box.mark], mark=box.mark, size=18)
    middle, line = x + WIDTH / 2 + 6, y + (29 if box.was else 37)
    _text(group, middle, line, _cut(box.id, LONGEST_NAME), size=14, anchor="middle")
    if box.was:
        was = f"was {_cut(box.was, LONGEST_NAME)}"
        _text(group, middle, y + 48, was, mark=box.mark, size=12, anchor="middle")


def _group(root: Element, title: str) -> Element:
    group = SubElement(root, "g")
    SubElement(group, "title").text = _fit(title)
    return group


def _text(
    parent: Element,
    x: float,
    y: float,
    text: str,
    *,
    size: int,
    mark: str = "",
    anchor: str = "start",
) -> None:
    coloured = mark in ("added", "removed", "changed")
    element = SubElement(
        parent,
        "text",
        {
            "class": f"sign {mark}" if coloured else "ink",
            "x": f"{x:.0f}",
            "y": f"{y:.0f}",
            "font-size": str(size),
            "text-anchor": anchor,
            "fill": LIGHT[mark][0] if coloured else INK[0],
        },
    )
    element.text = _fit(text)


def _where(x: float, y: float, width: float, height: float) -> dict[str, str]:
    sizes = {"x": x, "y": y, "width": width, "height": height}
    return {name: f"{number:.0f}" for name, number in sizes.items()}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _fit(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)
