"""Writing new values and changing containers in the style around them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.text.json_parse import Node
from workflows.core.text.json_style import (
    NEAR,
    Layout,
    Style,
    indent_in,
    line_indent,
    near,
    unit_of,
)
from workflows.core.text.json_tree import Site, breaks, is_container, with_member, without_member

Models = Sequence[Site]  # containers that show how a value at this place is usually written


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """Everything needed to write at one place of a file."""

    style: Style
    newline: bytes
    unit: bytes

    def write(
        self,
        value: Any,
        indent: bytes,
        models: Models,
        around: Layout,
        layout: Layout | None = None,
    ) -> bytes:
        """A value on a line indented by `indent`, inside a container laid out like `around`."""
        if isinstance(value, str):
            return self.style.string(value)
        if not is_container(value):
            return json.dumps(value, allow_nan=False).encode()
        if not value:
            return b"{}" if isinstance(value, dict) else b"[]"
        like = [site for site in models if type(site.node.value) is type(value)]
        layout = layout or self.layout_for(value, like, around)
        inner = indent + self.unit if layout.expanded else indent
        if isinstance(value, dict):
            members = [
                self.style.string(key)
                + layout.colon
                + self.write(each, inner, members_like(like, key), layout)
                for key, each in value.items()
            ]
        else:
            elements = elements_like(like)
            members = [self.write(each, inner, elements, layout) for each in value]
        brackets = (b"{", b"}") if isinstance(value, dict) else (b"[", b"]")
        return self._joined(members, brackets, indent, inner, layout)

    def _joined(
        self,
        members: list[bytes],
        brackets: tuple[bytes, bytes],
        indent: bytes,
        inner: bytes,
        layout: Layout,
    ) -> bytes:
        if not layout.expanded:
            return brackets[0] + layout.lead + layout.gap.join(members) + layout.tail + brackets[1]
        line = self.newline + inner
        body = (b"," + line).join(members)
        return b"".join((brackets[0], line, body, self.newline, indent, brackets[1]))

    def layout_for(self, value: Any, models: Models, around: Layout) -> Layout:
        """How a container with these contents is to be written here."""
        for site in models:
            if site.node.value:
                return self.style.layout(site)
            if site.node.layout is not None:
                return _as_layout(site.node.layout)
        usual = self.style.usual(value) if around.expanded else None
        if usual is None:
            usual = self.style.usual(value, expanded=around.expanded)
        if usual is not None:
            return usual
        return replace(around, lead=b"", tail=b"")


def _as_layout(layout: Any) -> Layout:
    if not isinstance(layout, Layout):
        raise TypeError(layout)
    return layout


def members_like(models: Models, key: str) -> list[Site]:
    """The containers under this key in the models."""
    found = []
    for site in models:
        if isinstance(site.node.value, dict) and is_container(site.node.value.get(key)):
            index = site.body.place(key)
            if index is not None:
                found.append(site.child(index))
    return found[:NEAR]


def elements_like(models: Models, index: int = 0) -> list[Site]:
    """Containers with members among the models' members, nearest to `index` first."""
    found: list[Site] = []
    for site in models:
        if is_container(site.node.value) and site.node.value:
            children = [site.child(place) for place in near(site.size, index)]
            found += [child for child in children if is_container(child.node.value)]
        if len(found) >= NEAR:
            break
    return found[:NEAR]


def models_inside(site: Site, models: Models, index: int, key: str | None) -> list[Site]:
    """Models for the member of `site` at `index`: cousins under the same key, then siblings."""
    siblings = elements_like([site], index)
    if key is not None:
        return (members_like(models, key) + siblings)[: 2 * NEAR]
    return (siblings + elements_like(models, index))[: 2 * NEAR]


def pen_at(style: Style, sites: Sequence[Site]) -> Pen:
    """The pen for a place inside `sites`, the containers from the root inwards."""
    for site in reversed(sites):
        unit = unit_of(site)
        if unit is not None:
            lead = site.lead()
            newline = b"\r\n" if b"\r\n" in lead else b"\n" if b"\n" in lead else b"\r"
            return Pen(style=style, newline=newline, unit=unit)
    return Pen(style=style, newline=style.newline, unit=style.unit)


def inserted(
    pen: Pen,
    site: Site,
    index: int,
    key: str | None,
    value: Any,
    indent: bytes,
    models: Models,
    around: Layout,
) -> Site:
    """The container with a new member at `index`."""
    if not site.node.value:
        return _filled(pen, site, key, value, indent, models, around)
    layout = pen.style.layout(site)
    separator = new_separator(pen, site, index)
    here = _indent_at(site, index, separator, indent)
    colon = _colon(pen, site, index, value, layout) if key is not None else b""
    inside = models_inside(site, models, index, key)
    text = pen.write(value, here, inside, layout)
    head = (key, pen.style.string(key) + colon) if key is not None else None
    return with_member(site, index, separator, head, Site(text, 0, Node(len(text), value)))


def _filled(
    pen: Pen,
    site: Site,
    key: str | None,
    value: Any,
    indent: bytes,
    models: Models,
    around: Layout,
) -> Site:
    inner = site.text[1:-1]
    whole: Any = [value] if key is None else {key: value}
    forced: Layout | None = None
    if site.node.layout is not None:
        models = [site, *models]
    elif breaks(inner):
        forced = replace(pen.layout_for(whole, models, around), expanded=True)
    text = pen.write(whole, indent, models, around, forced)
    node = replace(site.node, length=len(text), value=whole, body=None, hollow=inner, layout=None)
    return Site(text, 0, node)


def emptied(pen: Pen, site: Site) -> Site:
    """The container with its last member gone."""
    text = site.data[site.start : site.start + 1] + site.node.hollow
    text += site.data[site.end - 1 : site.end]
    value: Any = [] if site.body.keys is None else {}
    node = replace(
        site.node,
        length=len(text),
        value=value,
        repeats=False,
        body=None,
        hollow=b"",
        layout=pen.style.layout(site),
    )
    return Site(text, 0, node)


def deleted(pen: Pen, site: Site, index: int) -> Site:
    """The container without this member."""
    return emptied(pen, site) if site.size == 1 else without_member(site, index)


def new_separator(pen: Pen, site: Site, index: int) -> bytes:
    """The comma and whitespace for a new member at `index`, as its neighbours have it."""
    size = site.size
    if size == 1:
        lead = site.lead()
        return b"," + _one_break(lead) if breaks(lead) else pen.style.gap
    around = [place + 1 for place in near(size - 1, index - 1)]
    counts: dict[bytes, int] = {}
    for place in around:
        gap = site.separator(place)
        counts[gap] = counts.get(gap, 0) + 1
    chosen = max(counts, key=lambda gap: (counts[gap], -len(gap)))
    if breaks(chosen) > 1 and counts[chosen] < 2:
        chosen = _one_break(chosen)
    if 0 < index < size and breaks(site.separator(index)) < breaks(chosen):
        return site.separator(index)
    return chosen


def _one_break(gap: bytes) -> bytes:
    """A gap without its blank lines."""
    before, comma, after = gap.rpartition(b",")
    if not breaks(after):
        return gap
    newline = b"\r\n" if b"\r\n" in after else b"\n" if b"\n" in after else b"\r"
    return before + comma + newline + indent_in(after)


def _indent_at(site: Site, index: int, separator: bytes, indent: bytes) -> bytes:
    gap = site.lead() if index == 0 else separator
    if breaks(gap):
        return indent_in(gap)
    at = site.member_start(0) if index == 0 else site.member_end(index - 1)
    return indent_before(site, at, indent)


def indent_before(site: Site, at: int, indent: bytes) -> bytes:
    """The indentation of the line `at` lies on; the container's own line is indented `indent`."""
    begin = max(site.data.rfind(b"\n", site.start, at), site.data.rfind(b"\r", site.start, at))
    return indent if begin < 0 else line_indent(site.data, at)


def _colon(pen: Pen, site: Site, index: int, value: Any, layout: Layout) -> bytes:
    """The colon of the nearest members, of those with the same kind of value if there are any."""
    places = near(site.size, index)
    kind = is_container(value)
    same = [place for place in places if is_container(site.child(place).node.value) is kind]
    colons = [site.colon(place) for place in same or places]
    chosen = max(colons, key=lambda colon: (colons.count(colon), -len(colon)))
    return layout.colon if breaks(chosen) and not same else chosen
