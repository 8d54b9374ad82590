"""Turning one value into another by touching only the members that differ."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any

from workflows.core.text.json.draft import Draft
from workflows.core.text.json.members import new_member, refilled
from workflows.core.text.json.node import Node
from workflows.core.text.json.tree import Site, with_values
from workflows.core.text.json.writer import Place, Writer, models_inside

_ALIGNED = 1_000  # elements; beyond this, arrays are compared place by place


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true are three values, the order of keys does not count."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(
            key in other and same(each, other[key]) for key, each in one.items()
        )
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return bool(one == other)


def revised(pen: Writer, site: Site, value: Any, place: Place) -> Site:
    """The site at `place` with its value replaced by `value`."""
    old = site.node.value
    if same(old, value):
        return site
    if isinstance(old, dict) and isinstance(value, dict):
        return _revised_object(pen, site, value, place)
    if isinstance(old, list) and isinstance(value, list):
        return _revised_array(pen, site, value, place)
    text = pen.write(value, place)
    return Site(text, 0, Node(len(text), value))


def _revised_object(pen: Writer, site: Site, value: dict[str, Any], place: Place) -> Site:
    old = site.node.value
    kept = [key for key in value if key in old and not same(old[key], value[key])]
    changed = {_index_of(site, key): value[key] for key in kept}
    site = _revised_members(pen, site, changed, place)
    if not any(key in value for key in old):
        return refilled(pen, site, value, place)
    if old.keys() == value.keys():
        return site
    return _with_keys_of(pen, site, value, place)


def _index_of(site: Site, key: str) -> int:
    index = site.body.place(key)
    if index is None:
        raise KeyError(key)
    return index


def _with_keys_of(pen: Writer, site: Site, value: dict[str, Any], place: Place) -> Site:
    """The object with the members of `value` that it lacks, and without those that it lacks.

    Old members go in the order of their keys, then new ones come from the last to the first, each
    before the key that follows it in `value`.
    """
    draft = Draft(site)
    old = _indexes_of_keys(site)
    gone: list[int] = []
    for key, indexes in old.items():
        if key not in value:
            for index in reversed(indexes):
                draft.delete(index - bisect_left(gone, index))
                insort(gone, index)
    kept = {
        key: indexes[-1] - bisect_left(gone, indexes[-1])
        for key, indexes in old.items()
        if key in value
    }
    places: list[int] = []  # for each new member, the one of the kept that follows it
    end = draft.size
    at, before = end, end
    for key in reversed(value):
        if key in kept:
            before = kept[key]
            at = before + bisect_right(places, before)
        else:
            draft.insert(at, new_member(pen, draft, at, key, value[key], place))
            insort(places, before)
    return draft.site()


def _indexes_of_keys(site: Site) -> dict[str, list[int]]:
    indexes: dict[str, list[int]] = {}
    for index, key in enumerate(site.body.keys or ()):
        indexes.setdefault(key, []).append(index)
    return indexes


def _revised_array(pen: Writer, site: Site, value: list[Any], place: Place) -> Site:
    old = site.node.value
    if not old or not value:
        return refilled(pen, site, value, place)
    changed: dict[int, Any] = {}
    removed: list[int] = []
    added: list[tuple[int, Any]] = []  # before which old index, what
    for begin, end, first, last in _differences(old, value):
        both = min(end - begin, last - first)
        changed |= {begin + each: value[first + each] for each in range(both)}
        removed += range(begin + both, end)
        added += [(end, value[each]) for each in range(first + both, last)]
    site = _revised_members(pen, site, changed, place)
    if not added and not removed:
        return site
    draft = Draft(site)
    for index, element in reversed(added):
        draft.insert(index, new_member(pen, draft, index, None, element, place))
    places = [before for before, _ in added]
    for index in reversed(removed):
        draft.delete(index + bisect_right(places, index))
    return draft.site()


def _differences(old: list[Any], new: list[Any]) -> list[tuple[int, int, int, int]]:
    """Runs of elements that differ: begin and end in `old`, first and last in `new`."""
    head = sum(1 for _ in takewhile(_alike, zip(old, new, strict=False)))
    rest = zip(reversed(old[head:]), reversed(new[head:]), strict=False)
    tail = sum(1 for _ in takewhile(_alike, rest))
    end, last = len(old) - tail, len(new) - tail
    if end - head + last - head > _ALIGNED:
        return [(head, end, head, last)]
    ours, theirs = _marks(old[head:end]), _marks(new[head:last])
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    return [
        (head + begin, head + end, head + first, head + last)
        for kind, begin, end, first, last in blocks
        if kind != "equal"
    ]


def _alike(pair: tuple[Any, Any]) -> bool:
    return same(*pair)


def _marks(values: Sequence[Any]) -> list[str]:
    return [json.dumps(value, sort_keys=True) for value in values]


def _revised_members(pen: Writer, site: Site, changed: dict[int, Any], place: Place) -> Site:
    if not changed:
        return site
    layout = pen.style.layout(site)
    keys = site.body.keys
    revisions: dict[int, Site] = {}
    for index, value in changed.items():
        child = site.child(index)
        key = keys[index] if keys is not None else None
        models = models_inside(site, place.models, index, key, but=child)
        inside = place.within(layout, site.indent(child.start), models)
        revisions[index] = revised(pen, child, value, inside)
    return with_values(site, revisions)


def plain(value: Any) -> Any:
    """A private copy made of plain JSON types. TypeError or ValueError if that cannot be."""
    return json.loads(json.dumps(value, allow_nan=False))
