"""A container while many of its members are added and removed.

`with_member` and `without_member` copy the container for each change, which is quick for one change
and quadratic for many. A draft keeps the members apart, and joins them once. It chooses the same
bytes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import Any

from workflows.core.text.json.members import NewMember
from workflows.core.text.json.node import Body
from workflows.core.text.json.tree import Site, breaks, colon_in, has_repeats

_LAST_LINE = re.compile(rb"[ \t]*")


class Draft:
    """The members of one container. Has the reads of `tree.Container`. Never empty."""

    def __init__(self, site: Site) -> None:
        body = site.body
        self._site = site
        self._keys = None if body.keys is None else body.keys.copy()
        self._nodes = body.nodes.copy()
        self._lead, self._tail = site.lead(), site.tail()
        self._margin = site.own_indent()
        self._separators = [b""]
        self._heads: list[bytes] = []
        self._texts: list[bytes] = []
        ends = 0
        for start, width, node in zip(body.starts, body.heads, body.nodes, strict=True):
            begin = site.start + start
            if self._heads:
                self._separators.append(site.data[ends:begin])
            ends = begin + width + node.length
            self._heads.append(site.data[begin : begin + width])
            self._texts.append(site.data[begin + width : ends])
        # One byte for each separator and for each member: 1 if it has a line break.
        self._broken_separators = bytearray(map(_is_broken, self._separators))
        self._broken_members = bytearray(
            map(_is_broken, map(bytes.__add__, self._heads, self._texts))
        )

    # -- changes ----------------------------------------------------------------------------

    def insert(self, index: int, new: NewMember) -> None:
        """Put in a new member."""
        head = new.head[1] if new.head else b""
        text = new.value.text
        if self._keys is not None and new.head is not None:
            self._keys.insert(index, new.head[0])
        self._separators.insert(index or 1, new.separator)
        self._broken_separators.insert(index or 1, _is_broken(new.separator))
        self._heads.insert(index, head)
        self._texts.insert(index, text)
        self._nodes.insert(index, new.value.node)
        self._broken_members.insert(index, _is_broken(head + text))

    def delete(self, index: int) -> None:
        """Remove a member, its comma and its line. A draft keeps at least one member."""
        if self.size == 1:
            raise ValueError("the only member leaves with its container emptied")
        following = index == 0 or (
            index + 1 < self.size
            and breaks(self._separators[index + 1]) < breaks(self._separators[index])
        )
        gone = index + 1 if following else index
        del self._separators[gone], self._broken_separators[gone]
        del self._heads[index], self._texts[index], self._nodes[index]
        del self._broken_members[index]
        if self._keys is not None:
            del self._keys[index]

    def site(self) -> Site:
        """The container with all changes."""
        opening = self._site.data[self._site.start : self._site.start + 1]
        closing = self._site.data[self._site.end - 1 : self._site.end]
        parts = chain.from_iterable(zip(self._separators, self._heads, self._texts, strict=True))
        text = b"".join([opening, self._lead, *parts, self._tail, closing])
        starts: list[int] = []
        at = len(opening) + len(self._lead)
        for separator, head, node in zip(self._separators, self._heads, self._nodes, strict=True):
            at += len(separator)
            starts.append(at)
            at += len(head) + node.length
        body = Body(self._keys, starts, [len(head) for head in self._heads], self._nodes)
        values = [node.value for node in self._nodes]
        value = values if self._keys is None else dict(zip(self._keys, values, strict=True))
        repeats = self._site.node.repeats and has_repeats(self._keys, self._nodes)
        node = replace(self._site.node, length=len(text), value=value, repeats=repeats, body=body)
        return self._site.alone(text, node)

    # -- reads, see `tree.Container` --------------------------------------------------------

    @property
    def size(self) -> int:
        return len(self._nodes)

    @property
    def filled(self) -> bool:
        return True

    @property
    def has_keys(self) -> bool:
        return self._keys is not None

    def value_at(self, index: int) -> Any:
        return self._nodes[index].value

    def child(self, index: int) -> Site:
        before = self._separators[index] + self._heads[index]
        return Site(self._texts[index], 0, self._nodes[index], self._indent(index, before))

    def lead(self) -> bytes:
        return self._lead

    def tail(self) -> bytes:
        return self._tail

    def separator(self, index: int) -> bytes:
        return self._separators[index]

    def colon(self, index: int) -> bytes:
        return colon_in(self._heads[index])

    def own_indent(self) -> bytes:
        return self._margin

    def indent_before(self, index: int) -> bytes:
        return self._indent(index, b"")

    def _indent(self, index: int, text: bytes) -> bytes:
        """The indentation of the line of the end of `text`, which follows the members before
        `index`."""
        if not _is_broken(text):
            separator = self._broken_separators.rfind(1, 0, index)
            member = self._broken_members.rfind(1, 0, index)
            if member >= 0 and member >= separator:
                text = self._heads[member] + self._texts[member]
            elif separator >= 0:
                text = self._separators[separator]
            elif _is_broken(self._lead):
                text = self._lead
            else:
                return self._margin
        begin = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
        match = _LAST_LINE.match(text, begin)
        return match[0] if match else b""


def _is_broken(text: bytes) -> bool:
    return b"\n" in text or b"\r" in text
