"""A JSON file one can change in one place and in no other byte.

`JsonText.parse(data)` keeps the exact bytes; edits give a new `JsonText` that shares every subtree
they do not touch. Pointers are tuples of keys and indexes, `()` is the root (RFC 6901 with
`pointer_of` and `pointer_text`). Offsets are in bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workflows.core.limits import TEXT_DEPTH
from workflows.core.pack.forms import Json
from workflows.core.text.json.errors import JsonTextError, at_byte
from workflows.core.text.json.many import (
    Change,
    changed,
    places_of,
    with_new_keys,
    with_strings,
    without,
)
from workflows.core.text.json.members import deleted, inserted
from workflows.core.text.json.merge import plain, revised, same
from workflows.core.text.json.node import Layout, Node
from workflows.core.text.json.parse import depth, parse
from workflows.core.text.json.pointer import (
    Pointer,
    array_place,
    end_of,
    pointer_of,
    pointer_text,
    position_in,
)
from workflows.core.text.json.reader import Duplicate, Reading, Step
from workflows.core.text.json.style import Style
from workflows.core.text.json.tree import Site, regrown, with_key, with_order
from workflows.core.text.json.writer import Place, models_inside, writer_at


class JsonText(Reading):
    """Immutable. `value` is to be read only; of several members with one key the last counts."""

    __slots__ = ("_style",)

    def __init__(self, data: bytes, start: int, root: Node, style: Style | None = None) -> None:
        super().__init__(data, start, root)
        self._style = style or Style(self._root)

    @classmethod
    def parse(cls, data: bytes) -> JsonText:
        """Raises JsonTextError."""
        start, root = parse(data)
        return cls(data, start, root)

    def set(self, pointer: Pointer, value: Json) -> JsonText:
        """Replace a value, or add a member that is missing. KeyError if its parent is missing."""
        fresh = self._checked(pointer, value)
        steps, site = self._walk_or_parent(pointer)
        if site is None:
            container = self._walk(pointer[:-1])[1]
            return self._insert(pointer[:-1], end_of(container, pointer), pointer[-1], fresh)
        if same(site.node.value, fresh):
            return self
        pen = writer_at(self._style, [*(step.site for step in steps), site])
        return self._rebuilt(steps, site, revised(pen, site, fresh, self._place(steps, site)))

    def put(self, pointer: Pointer, value: Json) -> JsonText:
        """Set a value, with the objects above it where they are missing."""
        for above in range(len(pointer)):
            if not self.has(pointer[:above]):
                for key in reversed(pointer[above:]):
                    value = {str(key): value}
                return self.set(pointer[:above], value)
        return self.set(pointer, value)

    def insert(
        self,
        pointer: Pointer,
        value: Json,
        *,
        before: str | None = None,
        index: int | None = None,
    ) -> JsonText:
        """A new member. In an object `pointer` ends in its key, and it goes before the key
        `before`, or to place `index`, or to the end. In an array `pointer` ends in its index or in
        "-"; or it names the array and `index` the place.

        KeyError if the parent or `before` is missing, IndexError if the place is outside,
        ValueError if the key is taken.
        """
        parent, last = self._insertion(pointer, index)
        fresh = self._checked((*parent, last), value)
        _, container = self._walk(parent)
        if isinstance(container.node.value, dict):
            if str(last) in container.node.value:
                raise ValueError(f"{pointer_text(pointer)} exists already")
            place = position_in(container, before, index)
        else:
            place = position_in(container, before, array_place(container, last, index))
        return self._insert(parent, place, last, fresh)

    def delete(self, pointer: Pointer) -> JsonText:
        """Remove a member with its comma and its line. KeyError if absent."""
        if not pointer:
            raise ValueError("the root cannot be deleted")
        steps, _ = self._walk(pointer)
        *outer, (container, index) = steps
        pen = writer_at(self._style, [step.site for step in steps])
        return self._rebuilt(outer, container, deleted(pen, container, index))

    def rename(self, pointer: Pointer, key: str) -> JsonText:
        """Give a member another key at the same place. ValueError if that key is taken."""
        if not pointer:
            raise ValueError("the root has no key")
        steps, _ = self._walk(pointer)
        *outer, (container, index) = steps
        keys = container.body.keys
        if keys is None:
            raise ValueError(f"{pointer_text(pointer)} is an element: it has no key")
        if keys[index] == key:
            return self
        if key in keys:
            raise ValueError(f"{pointer_text((*pointer[:-1], key))} exists already")
        return self._rebuilt(
            outer, container, with_key(container, index, key, self._style.string(key))
        )

    def set_all(self, texts: Mapping[Pointer, str]) -> JsonText:
        """Replace many values by texts, as `set` does one after another. KeyError if a place is
        missing; none may be inside another."""
        return self._changed(texts, with_strings(self._style))

    def delete_all(self, pointers: Iterable[Pointer]) -> JsonText:
        """Remove many members of this text, as `delete` does one after another, except that an
        index counts the elements before the first removal."""
        return self._changed(dict.fromkeys(pointers, ""), without(self._style))

    def rename_all(self, keys: Mapping[Pointer, str]) -> JsonText:
        """Give many members other keys, as `rename` does."""
        return self._changed(keys, with_new_keys(self._style))

    def move(
        self, pointer: Pointer, *, before: str | None = None, index: int | None = None
    ) -> JsonText:
        """Put a member at another place of its parent: before a key, or so that it ends up at
        `index`, or last. KeyError, IndexError as for `insert`."""
        if not pointer:
            raise ValueError("the root has no place to move to")
        steps, _ = self._walk(pointer)
        *outer, (container, origin) = steps
        target = position_in(container, before, index)
        if index is None and target > origin:
            target -= 1
        if target >= container.size:
            raise IndexError(f"{pointer_text(pointer)} has no place {target}")
        if target == origin:
            return self
        return self._rebuilt(outer, container, with_order(container, origin, target))

    def _changed(self, texts: Mapping[Pointer, str], change: Change) -> JsonText:
        return self._rebuilt(
            [], self._root, changed(self._root, places_of(self._root, texts), change)
        )

    def _checked(self, pointer: Pointer, value: Json) -> Any:
        """A private copy of a value that may be written at `pointer`."""
        try:
            fresh = plain(value)
            too_deep = len(pointer) + depth(fresh) > TEXT_DEPTH
        except RecursionError:
            too_deep = True
        if too_deep:
            start = self._nearest(pointer)[1].start
            raise at_byte(f"Nested deeper than {TEXT_DEPTH} levels.", self.data, start)
        return fresh

    def _insertion(self, pointer: Pointer, index: int | None) -> tuple[Pointer, str | int]:
        """Parent and last segment: with an index, `pointer` may name the array itself."""
        target = self._find(pointer) if index is not None else None
        if target is not None and isinstance(target.node.value, list):
            parent = self._find(pointer[:-1]) if pointer else None
            if parent is None or not isinstance(parent.node.value, list):
                return pointer, index or 0
        if not pointer:
            raise ValueError("the root exists already")
        return pointer[:-1], pointer[-1]

    def _insert(self, parent: Pointer, index: int, last: str | int, value: Any) -> JsonText:
        steps, container = self._walk(parent)
        pen = writer_at(self._style, [*(step.site for step in steps), container])
        key = str(last) if isinstance(container.node.value, dict) else None
        place = self._place(steps, container)
        return self._rebuilt(steps, container, inserted(pen, container, index, key, value, place))

    def _place(self, steps: list[Step], site: Site) -> Place:
        """The place for a value at `site`, derived from its containers."""
        place = Place(
            indent=site.indent(site.start),
            depth=0,
            models=(),
            around=Layout(expanded=True, gap=self._style.gap, colon=self._style.colon),
        )
        for container, index in steps:
            keys, child = container.body.keys, container.child(index)
            key = None if keys is None else keys[index]
            models = models_inside(container, place.models, index, key, but=child)
            place = place.within(self._style.layout(container), place.indent, models)
        return place

    def _rebuilt(self, steps: list[Step], old: Site, new: Site) -> JsonText:
        if new is old:
            return self
        data = b"".join((self.data[: old.start], new.text, self.data[old.end :]))
        node = new.node
        for site, index in reversed(steps):
            node = regrown(site, {index: node})
        return JsonText(data, self._root.start, node, self._style)


__all__ = ["Duplicate", "JsonTextError", "Pointer", "pointer_of", "pointer_text"]
