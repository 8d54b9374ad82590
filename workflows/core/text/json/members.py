"""A container with a member more or less, written as its neighbours are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from workflows.core.text.json.node import Layout, Node
from workflows.core.text.json.style import indent_in, majority, near
from workflows.core.text.json.tree import (
    Container,
    Site,
    breaks,
    is_container,
    with_member,
    without_member,
)
from workflows.core.text.json.writer import Place, Writer, models_inside


class NewMember(NamedTuple):
    """A member that is written but not yet in its container. `head` is its key and the text of the
    key with the colon; None in an array."""

    separator: bytes
    head: tuple[str, bytes] | None
    value: Site


def inserted(
    pen: Writer, site: Site, index: int, key: str | None, value: Any, place: Place
) -> Site:
    """The container at `place` with a new member at `index`."""
    if not site.node.value:
        return refilled(pen, site, {key: value} if key is not None else [value], place)
    return with_member(site, index, *new_member(pen, site, index, key, value, place))


def new_member(
    pen: Writer, site: Container, index: int, key: str | None, value: Any, place: Place
) -> NewMember:
    """The text of a new member at `index` of the container at `place`, which has some already."""
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
    return NewMember(separator, head, Site(text, 0, Node(len(text), value)))


def refilled(pen: Writer, site: Site, value: Any, place: Place) -> Site:
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


def emptied(pen: Writer, site: Site) -> Site:
    """The container with its members gone."""
    first, last = site.data[site.start : site.start + 1], site.data[site.end - 1 : site.end]
    text = first + site.node.hollow + last
    layout = pen.style.layout(site)
    return site.alone(text, Node(len(text), type(site.node.value)(), layout=layout))


def deleted(pen: Writer, site: Site, index: int) -> Site:
    """The container without this member."""
    return emptied(pen, site) if site.size == 1 else without_member(site, index)


def new_separator(pen: Writer, site: Container, index: int) -> bytes:
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


def _indent_at(site: Container, index: int, separator: bytes) -> bytes:
    gap = site.lead() if index == 0 else separator
    if breaks(gap):
        return indent_in(gap)
    return site.indent_before(index)


def _colon(site: Container, index: int, value: Any, layout: Layout) -> bytes:
    """The colon of the nearest members, of those with the same kind of value if there are any."""
    places = near(site.size, index)
    kind = is_container(value)
    same = [place for place in places if is_container(site.value_at(place)) is kind]
    colons = [site.colon(place) for place in same or places]
    chosen = majority(colons)
    return layout.colon if breaks(chosen) and not same else chosen
