"""Writing new values and changing containers in the style around them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.text.json_node import Layout, Node
from workflows.core.text.json_style import (
    NEAR,
    Style,
    indent_in,
    majority,
    near,
    unit_of,
)
from workflows.core.text.json_tree import Site, breaks, is_container, with_member, without_member

Models = Sequence[Site]  # containers that show how a value at this place is usually written


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a value is written: `indent` begins its line, `depth` containers lie around it, the
    innermost laid out like `around`."""

    indent: bytes
    depth: int
    models: Models
    around: Layout

    def within(self, layout: Layout, indent: bytes, models: Models) -> Place:
        """The place of a member."""
        return Place(indent=indent, depth=self.depth + 1, models=models, around=layout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """Writes in the style of one file, with line breaks and indentation as they are nearby."""

    style: Style
    newline: bytes
    unit: bytes

    def write(self, value: Any, place: Place, layout: Layout | None = None) -> bytes:
        """A value as it is to stand at `place`; `layout` wins over what its models have."""
        if isinstance(value, str):
            return self.style.string(value)
        if not is_container(value):
            return json.dumps(value, allow_nan=False).encode()
        if not value:
            return b"{}" if isinstance(value, dict) else b"[]"
        like = [site for site in place.models if type(site.node.value) is type(value)]
        layout = layout or self.layout_for(value, replace(place, models=like))
        inner = place.indent
        if layout.expanded:
            inner += self.unit if layout.unit is None else layout.unit
        if isinstance(value, dict):
            return self._joined(
                "{}",
                place.indent,
                inner,
                layout,
                [
                    self.style.string(key)
                    + layout.colon
                    + self.write(each, place.within(layout, inner, members_like(like, key)))
                    for key, each in value.items()
                ],
            )
        inside = place.within(layout, inner, elements_like(like))
        elements = [self.write(each, inside) for each in value]
        return self._joined("[]", place.indent, inner, layout, elements)

    def _joined(
        self, brackets: str, indent: bytes, inner: bytes, layout: Layout, members: list[bytes]
    ) -> bytes:
        first, last = brackets[0].encode(), brackets[1].encode()
        if not layout.expanded:
            return first + layout.lead + layout.gap.join(members) + layout.tail + last
        line = self.newline + inner
        return first + line + (b"," + line).join(members) + self.newline + indent + last

    def layout_for(self, value: Any, place: Place) -> Layout:
        """How a container with these contents is to be written here."""
        for site in place.models:
            if site.node.value:
                return self.style.layout(site)
            if site.node.layout is not None:
                return site.node.layout
        expanded = place.around.expanded
        usual = self.style.usual(value, place.depth) if expanded else None
        usual = usual or self.style.usual(value, place.depth, expanded=expanded)
        return usual or replace(place.around, lead=b"", tail=b"", unit=None)


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


def models_inside(
    site: Site, models: Models, index: int, key: str | None, *, but: Site | None = None
) -> list[Site]:
    """Models for the member of `site` at `index`: cousins under the same key, then siblings; `but`
    not the one that is there now."""
    siblings = elements_like([site], index)
    if key is not None:
        found = members_like(models, key) + siblings
    else:
        found = siblings + elements_like(models, index)
    return [each for each in found if but is None or each.node is not but.node]


def pen_at(style: Style, sites: Sequence[Site]) -> Pen:
    """The pen for a place inside `sites`, the containers from the root inwards."""
    for site in reversed(sites):
        unit = unit_of(site)
        if unit is not None:
            lead = site.lead()
            newline = b"\r\n" if b"\r\n" in lead else b"\n" if b"\n" in lead else b"\r"
            return Pen(style=style, newline=newline, unit=unit)
    return Pen(style=style, newline=style.newline, unit=style.unit)


def inserted(pen: Pen, site: Site, index: int, key: str | None, value: Any, place: Place) -> Site:
    """The container at `place` with a new member at `index`."""
    if not site.node.value:
        return refilled(pen, site, {key: value} if key is not None else [value], place)
    layout = pen.style.layout(site)
    separator = new_separator(pen, site, index)
    inside = place.within(
        layout,
        _indent_at(site, index, separator),
        models_inside(site, place.models, index, key),
    )
    text = pen.write(value, inside)
    head = None
    if key is not None:
        head = key, pen.style.string(key) + _colon(site, index, value, layout)
    return with_member(site, index, separator, head, Site(text, 0, Node(len(text), value)))


def refilled(pen: Pen, site: Site, value: Any, place: Place) -> Site:
    """The container at `place` with all new members, laid out as it was before."""
    if site.node.value:
        site = emptied(pen, site)
    if not value:
        return site
    hollow, layout = site.text[1:-1], site.node.layout
    if layout is None and breaks(hollow):
        layout = replace(pen.layout_for(value, place), expanded=True)
    text = pen.write(value, place, layout)
    return site.alone(text, Node(len(text), value, hollow=hollow))


def emptied(pen: Pen, site: Site) -> Site:
    """The container with its members gone."""
    first, last = site.data[site.start : site.start + 1], site.data[site.end - 1 : site.end]
    text = first + site.node.hollow + last
    layout = pen.style.layout(site)
    return site.alone(text, Node(len(text), type(site.node.value)(), layout=layout))


def deleted(pen: Pen, site: Site, index: int) -> Site:
    """The container without this member."""
    return emptied(pen, site) if site.size == 1 else without_member(site, index)


def new_separator(pen: Pen, site: Site, index: int) -> bytes:
    """The comma and whitespace for a new member at `index`, as its neighbours have it."""
    size = site.size
    if size == 1:
        lead = site.lead()
        return b"," + _one_break(lead) if breaks(lead) else pen.style.gap
    gaps = [site.separator(place + 1) for place in near(size - 1, index - 1)]
    chosen = majority(gaps)
    if breaks(chosen):
        before = breaks(site.separator(max(1, index - 1)))
        alike = [gap for gap in gaps if breaks(gap) == (before or 1)]
        chosen = majority(alike) if alike else chosen
    if breaks(chosen) > 1 and gaps.count(chosen) < 2:
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


def _indent_at(site: Site, index: int, separator: bytes) -> bytes:
    gap = site.lead() if index == 0 else separator
    if breaks(gap):
        return indent_in(gap)
    at = site.member_start(0) if index == 0 else site.member_end(index - 1)
    return site.indent(at)


def _colon(site: Site, index: int, value: Any, layout: Layout) -> bytes:
    """The colon of the nearest members, of those with the same kind of value if there are any."""
    places = near(site.size, index)
    kind = is_container(value)
    same = [place for place in places if is_container(site.child(place).node.value) is kind]
    colons = [site.colon(place) for place in same or places]
    chosen = majority(colons)
    return layout.colon if breaks(chosen) and not same else chosen
