"""A thumbnail as an SVG document of its own, in both themes.

Cards and arrows look as on the canvas: a bar in the kind's hue, double borders of ends, arrowheads.
Above `DETAILED` states only rectangles and lines are drawn.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from html import escape

from workflows.core.pack.kind_hues import hue_of
from workflows.core.pack.thumbnail import Box, Thumbnail
from workflows.core.pack.thumbnail_routes import is_bowed, rounded, route

SHOWN = (236.0, 112.0)
"""Width and height of a thumbnail on the page, in pixels."""
DETAILED = 60
READABLE = 0.16
"""The lowest scale at which ids are drawn."""
LIGHT = {
    "surface": "#ffffff", "line": "#c9cad4", "path": "#8b8e9b", "text": "#1d1e24",
    "accent": "#5449d0", "k1": "#7067cb", "k2": "#128984", "k3": "#b24d8b", "k4": "#318c4c",
    "k5": "#0f84a6", "k6": "#9858b3", "k7": "#767f19", "k8": "#aa6237",
}  # fmt: skip
DARK = {
    "surface": "#24252c", "line": "#4a4d59", "path": "#767a88", "text": "#ececf1",
    "accent": "#a5a0fb", "k1": "#a29dfc", "k2": "#2ac3bb", "k3": "#ec81c0", "k4": "#69c27e",
    "k5": "#41bae4", "k6": "#ce8ceb", "k7": "#a8b455", "k8": "#e3966a",
}  # fmt: skip
_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def thumbnail_svg(drawing: Thumbnail) -> str:
    """The document."""
    if not drawing.boxes:
        return _empty()
    unit = max(1.6, drawing.width / SHOWN[0], drawing.height / SHOWN[1])
    detailed = len(drawing.boxes) <= DETAILED
    # Room for the dot of the entry, and for lines above and below the states.
    aside = 6 * unit if detailed else 0.0
    above = (
        _bow(unit) + 2 * unit
        if detailed and any(is_bowed(arrow) for arrow in drawing.arrows if not arrow.points)
        else 0.0
    )
    width = max(drawing.width + 2 * aside, SHOWN[0] * unit)
    height = max(drawing.height + 2 * above, SHOWN[1] * unit)
    left = (drawing.width - width) / 2
    top = (drawing.height - height) / 2
    view = f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}">',
        f"<style>{_style(unit)}</style>",
    ]
    if detailed:
        parts += [_head(unit), *_arrows(drawing, unit)]
        parts += [_card(box, unit) for box in drawing.boxes]
    else:
        parts += [_lines(drawing), *_rectangles(drawing)]
    return "".join([*parts, "</svg>"])


def _empty() -> str:
    """The drawing of a pack that cannot be drawn."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SHOWN[0]:.0f} {SHOWN[1]:.0f}">'
        f"<style>{_style(1.5)}</style>"
        '<rect class="c d" x="78" y="38" width="80" height="36" rx="6"/>'
        '<text x="118" y="60" text-anchor="middle">no graph</text></svg>'
    )


def _bow(unit: float) -> float:
    """The distance of a line above or below its states."""
    return max(24.0, 7 * unit)


def _style(unit: float) -> str:
    def colours(theme: dict[str, str]) -> str:
        return "".join(f"--{name}:{value};" for name, value in theme.items())

    kinds = "".join(f".k{hue}{{--k:var(--k{hue})}}" for hue in range(1, 9))
    return (
        f":root{{{colours(LIGHT)}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{colours(DARK)}}}}}"
        f"{kinds}"
        f".c{{fill:var(--surface);stroke:var(--line);stroke-width:{unit:.2f}}}"
        f".b{{fill:var(--k)}}"
        f".o{{fill:none;stroke:var(--k);stroke-width:{unit:.2f}}}"
        f".a{{fill:none;stroke:var(--path);stroke-width:{1.2 * unit:.2f}}}"
        f".d{{stroke-dasharray:{3 * unit:.1f} {2.5 * unit:.1f}}}"
        f".h{{fill:var(--path)}}.e{{fill:var(--accent)}}"
        f"text{{fill:var(--text);font:600 {7.5 * unit:.1f}px ui-monospace,Menlo,Consolas,"
        '"Liberation Mono",monospace}'
    )


def _head(unit: float) -> str:
    size = 6 * unit
    return (
        f'<marker id="h" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="{size:.1f}" '
        f'markerHeight="{size:.1f}" markerUnits="userSpaceOnUse" orient="auto">'
        '<path class="h" d="M0 0L10 5L0 10z"/></marker>'
    )


def _card(box: Box, unit: float) -> str:
    x, y, width, height = box.x, box.y, box.width, box.height
    hue = hue_of(box.kind)
    corner = min(height / 2, 18.0) if hue == 8 or box.terminal else 8.0
    bar = min(width / 6, 2.4 * unit)
    parts = [
        f'<g class="k{hue}"><rect class="c" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" rx="{corner:.0f}"/>'
    ]
    if box.terminal:
        inset = 2 * unit
        if inset * 3 < height:
            parts.append(
                f'<rect class="o" x="{x + inset:.1f}" y="{y + inset:.1f}" '
                f'width="{width - 2 * inset:.1f}" height="{height - 2 * inset:.1f}" '
                f'rx="{max(2.0, corner - inset):.1f}"/>'
            )
    else:
        parts.append(
            f'<path class="b" d="M{x + bar:.1f} {y:.0f}h{-max(0.0, bar - corner):.1f}'
            f"q{-min(bar, corner):.1f} 0 {-min(bar, corner):.1f} {corner:.0f}"
            f"v{height - 2 * corner:.0f}q0 {corner:.0f} {min(bar, corner):.1f} {corner:.0f}"
            f'h{max(0.0, bar - corner):.1f}z"/>'
        )
    if box.entry:
        parts.append(f'<circle class="e" cx="{x - 5 * unit:.1f}" cy="{y + height / 2:.1f}" '
                     f'r="{2.4 * unit:.1f}"/>')  # fmt: skip
    if 1 / unit >= READABLE:
        parts.append(_id(box, unit, bar))
    return "".join([*parts, "</g>"])


def _id(box: Box, unit: float, bar: float) -> str:
    """The id, shortened in the middle."""
    room = int((box.width - bar - 5 * unit) / (4.6 * unit))
    if room < 3:
        return ""
    text = _UNFIT.sub("\N{REPLACEMENT CHARACTER}", box.id)
    if len(text) > room:
        text = f"{text[: (room - 1 + 1) // 2]}…{text[len(text) - (room - 1) // 2 :]}"
    x = box.x + (box.width + (0 if box.terminal else bar)) / 2
    y = box.y + box.height / 2 + 2.7 * unit
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{escape(text, quote=False)}</text>'


def _arrows(drawing: Thumbnail, unit: float) -> Iterator[str]:
    for arrow in drawing.arrows:
        name = "a d" if arrow.dashed else "a"
        points = arrow.points or route(arrow, drawing.boxes, _bow(unit))
        path = rounded(points, 6 * unit)
        yield f'<path class="{name}" marker-end="url(#h)" d="{path}"/>'


def _lines(drawing: Thumbnail) -> str:
    """All arrows of a large graph as one path of straight lines."""
    lines = (
        f"M{a.x + a.width / 2:.0f} {a.y + a.height / 2:.0f}"
        f"L{b.x + b.width / 2:.0f} {b.y + b.height / 2:.0f}"
        for a, b in ((arrow.source, arrow.target) for arrow in drawing.arrows)
    )
    return f'<path class="a" d="{"".join(lines)}"/>'


def _rectangles(drawing: Thumbnail) -> list[str]:
    """The states of a large graph, as one path for each hue."""
    by_hue: dict[int, list[Box]] = defaultdict(list)
    for box in drawing.boxes:
        by_hue[hue_of(box.kind)].append(box)
    return [
        f'<path class="b k{hue}" d="'
        + "".join(
            f"M{box.x:.0f} {box.y:.0f}h{box.width:.0f}v{box.height:.0f}h{-box.width:.0f}z"
            for box in boxes
        )
        + '"/>'
        for hue, boxes in sorted(by_hue.items())
    ]
