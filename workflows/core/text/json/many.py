"""Changes of many places of one text, with each container written once."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from workflows.core.text.json.draft import Draft
from workflows.core.text.json.members import emptied
from workflows.core.text.json.node import Node
from workflows.core.text.json.pointer import Pointer, index_in, pointer_text
from workflows.core.text.json.style import Style
from workflows.core.text.json.tree import Site, with_key, with_values
from workflows.core.text.json.writer import writer_at

Change: TypeAlias = Callable[[Site, dict[int, str]], Site]


@dataclass(slots=True)
class Places:
    """Members of one container to change, in the order in which they were named, each with a text,
    and containers inside it that have some."""

    members: dict[int, str] = field(default_factory=dict)
    inner: dict[int, Places] = field(default_factory=dict)


def places_of(root: Site, texts: Mapping[Pointer, str]) -> Places:
    """The places of members of this text. KeyError if one is absent, ValueError for the root."""
    places = Places()
    for pointer, text in texts.items():
        if not pointer:
            raise ValueError("the root is not a member")
        site, here = root, places
        for depth, segment in enumerate(pointer):
            index = index_in(site, segment)
            if index is None:
                raise KeyError(pointer_text(pointer))
            if depth + 1 == len(pointer):
                here.members[index] = text
            else:
                here = here.inner.setdefault(index, Places())
                site = site.child(index)
    return places


def changed(site: Site, places: Places, change: Change) -> Site:
    """The container with `change` applied to each container that has members to change, from the
    inside outwards."""
    inner = {
        index: changed(site.child(index), each, change) for index, each in places.inner.items()
    }
    if inner:
        site = with_values(site, inner)
    return change(site, places.members) if places.members else site


def with_strings(style: Style) -> Change:
    """Replace the values, except where they are the same."""

    def change(site: Site, members: dict[int, str]) -> Site:
        fresh: dict[int, Site] = {}
        for index, new in members.items():
            if site.value_at(index) != new:
                text = style.string(new)
                fresh[index] = Site(text, 0, Node(len(text), new))
        return with_values(site, fresh) if fresh else site

    return change


def with_new_keys(style: Style) -> Change:
    """Rename the members. ValueError if their object has the key already."""

    def change(site: Site, members: dict[int, str]) -> Site:
        for index, key in members.items():
            keys = site.body.keys
            if keys is None:
                raise ValueError("an element has no key")
            if keys[index] != key:
                if key in keys:
                    raise ValueError(f"{key!r} exists already")
                site = with_key(site, index, key, style.string(key))
        return site

    return change


def without(style: Style) -> Change:
    """Remove the members, in their order."""

    def change(site: Site, members: dict[int, str]) -> Site:
        *most, _ = members
        empties = len(members) == site.size
        draft = Draft(site)
        gone: list[int] = []
        for index in most if empties else members:
            draft.delete(index - bisect_left(gone, index))
            insort(gone, index)
        site = draft.site()
        return emptied(writer_at(style, [site]), site) if empties else site

    return change
