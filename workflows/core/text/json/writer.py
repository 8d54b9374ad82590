"""Writing new values as their surroundings suggest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.text.json.node import Layout
from workflows.core.text.json.style import NEAR, Style, near, unit_of
from workflows.core.text.json.tree import Container, Site, is_container

Models = Sequence[Site]  # containers that show how a value at this place is usually written


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a value is written: `indent` begins its line, `depth` is the number of containers
    around it, the innermost with the layout of `around`."""

    indent: bytes
    depth: int
    models: Models
    around: Layout

    def within(self, layout: Layout, indent: bytes, models: Models) -> Place:
        """The place of a member."""
        return Place(indent=indent, depth=self.depth + 1, models=models, around=layout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Writes in the style of one file, with line breaks and indentation as they are nearby."""

    style: Style
    newline: bytes
    unit: bytes

    def write(self, value: Any, place: Place, layout: Layout | None = None) -> bytes:
        """The text of a value at `place`; `layout` overrides the layout of its models."""
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
            members = [
                self.style.string(key)
                + layout.colon
                + self.write(each, place.within(layout, inner, members_like(like, key)))
                for key, each in value.items()
            ]
            return b"{" + self._inside(members, place.indent, inner, layout) + b"}"
        each_place = place.within(layout, inner, elements_like(like))
        elements = [self.write(each, each_place) for each in value]
        return b"[" + self._inside(elements, place.indent, inner, layout) + b"]"

    def _inside(self, members: list[bytes], indent: bytes, inner: bytes, layout: Layout) -> bytes:
        if not layout.expanded:
            return layout.lead + layout.gap.join(members) + layout.tail
        line = self.newline + inner
        return line + (b"," + line).join(members) + self.newline + indent

    def layout_for(self, value: Any, place: Place) -> Layout:
        """The layout of a new container with these contents."""
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
    sites = []
    for site in models:
        if isinstance(site.node.value, dict) and is_container(site.node.value.get(key)):
            index = site.body.place(key)
            if index is not None:
                sites.append(site.child(index))
    return sites[:NEAR]


def elements_like(models: Sequence[Container], index: int = 0) -> list[Site]:
    """Containers with members among the models' members, nearest to `index` first."""
    sites: list[Site] = []
    for site in models:
        if site.filled:
            places = near(site.size, index)
            sites += [site.child(each) for each in places if is_container(site.value_at(each))]
        if len(sites) >= NEAR:
            break
    return sites[:NEAR]


def models_inside(
    site: Container, models: Models, index: int, key: str | None, *, but: Site | None = None
) -> list[Site]:
    """Models for the member of `site` at `index`: cousins under the same key, then siblings; `but`
    not the present one."""
    siblings = elements_like([site], index)
    if key is not None:
        sites = members_like(models, key) + siblings
    else:
        sites = siblings + elements_like(models, index)
    return [each for each in sites if but is None or each.node is not but.node]


def writer_at(style: Style, sites: Sequence[Site]) -> Writer:
    """The writer for a place inside `sites`, the containers from the root inwards."""
    for site in reversed(sites):
        unit = unit_of(site)
        if unit is not None:
            lead = site.lead()
            newline = b"\r\n" if b"\r\n" in lead else b"\n" if b"\n" in lead else b"\r"
            return Writer(style=style, newline=newline, unit=unit)
    return Writer(style=style, newline=style.newline, unit=style.unit)
