"""One container among bytes, and the same container with one member changed.

Every function takes a `Site` and returns a new one that holds the container's new bytes alone;
unchanged members keep their nodes and values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

from workflows.core.text.json.node import Body, Node
from workflows.core.text.json.scan import body_of

_INDENT = re.compile(rb"[ \t]*")
_KEY = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')


class Container(Protocol):
    """The members of one container and the bytes around them."""

    @property
    def size(self) -> int: ...

    @property
    def filled(self) -> bool:
        """True for a container that has members."""

    @property
    def has_keys(self) -> bool:
        """True for an object."""

    def value_at(self, index: int) -> Any:
        """The value of a member."""

    def child(self, index: int) -> Site: ...

    def lead(self) -> bytes:
        """Whitespace between the opening bracket and the first member."""

    def tail(self) -> bytes:
        """Whitespace between the last member and the closing bracket."""

    def separator(self, index: int) -> bytes:
        """The comma before a member other than the first, with the whitespace around it."""

    def colon(self, index: int) -> bytes:
        """The colon of a member with the whitespace around it."""

    def own_indent(self) -> bytes:
        """The indentation of the line of the opening bracket."""

    def indent_before(self, index: int) -> bytes:
        """The indentation of the line on which a new member at `index` would begin without a line
        break: that of the first member's key, or of the end of the member before."""


@dataclass(frozen=True, slots=True)
class Site:
    """A node and where its bytes begin. `margin` indents the line `data` begins in the midst of."""

    data: bytes
    start: int
    node: Node
    margin: bytes = b""

    @property
    def end(self) -> int:
        return self.start + self.node.length

    @property
    def text(self) -> bytes:
        return self.data[self.start : self.end]

    @property
    def body(self) -> Body:
        return self.node.body or body_of(self.node, self.data, self.start)

    @property
    def size(self) -> int:
        return len(self.body.nodes)

    @property
    def filled(self) -> bool:
        return is_container(self.node.value) and bool(self.node.value)

    @property
    def has_keys(self) -> bool:
        return self.body.keys is not None

    def value_at(self, index: int) -> Any:
        return self.body.nodes[index].value

    def child(self, index: int) -> Site:
        body = self.body
        start = self.member_start(index) + body.heads[index]
        return Site(self.data, start, body.nodes[index], self.margin)

    def alone(self, text: bytes, node: Node) -> Site:
        """Another node in this one's place, with its own bytes."""
        return Site(text, 0, node, self.indent(self.start))

    def indent(self, at: int) -> bytes:
        """The whitespace at the beginning of the line of `at`."""
        begin = max(self.data.rfind(b"\n", 0, at), self.data.rfind(b"\r", 0, at)) + 1
        match = _INDENT.match(self.data, begin, at)
        return (b"" if begin else self.margin) + (match[0] if match else b"")

    def member_start(self, index: int) -> int:
        return self.start + self.body.starts[index]

    def member_end(self, index: int) -> int:
        body = self.body
        return self.start + body.starts[index] + body.heads[index] + body.nodes[index].length

    def lead(self) -> bytes:
        return self.data[self.start + 1 : self.member_start(0)]

    def tail(self) -> bytes:
        return self.data[self.member_end(self.size - 1) : self.end - 1]

    def separator(self, index: int) -> bytes:
        return self.data[self.member_end(index - 1) : self.member_start(index)]

    def colon(self, index: int) -> bytes:
        begin = self.member_start(index)
        return colon_in(self.data[begin : begin + self.body.heads[index]])

    def own_indent(self) -> bytes:
        return self.indent(self.start)

    def indent_before(self, index: int) -> bytes:
        return self.indent(self.member_start(0) if index == 0 else self.member_end(index - 1))


def colon_in(head: bytes) -> bytes:
    """The colon after a key with the whitespace around it."""
    match = _KEY.match(head)
    return head[match.end() if match else 0 :]


def is_container(value: Any) -> bool:
    return isinstance(value, dict | list)


def regrown(site: Site, changed: Mapping[int, Node]) -> Node:
    """The container's node with these members' values replaced."""
    body = site.body
    starts, nodes = body.starts.copy(), body.nodes.copy()
    shift = 0
    for index, following in pairwise([*sorted(changed), len(nodes)]):
        shift += changed[index].length - nodes[index].length
        nodes[index] = changed[index]
        moved = slice(index + 1, following + 1)
        starts[moved] = [offset + shift for offset in starts[moved]]
    value = site.node.value.copy()
    for index, node in changed.items():
        value[index if body.keys is None else body.keys[index]] = node.value
    return replace(
        site.node,
        length=site.node.length + shift,
        value=value,
        repeats=site.node.repeats and has_repeats(body.keys, nodes),
        body=body.with_values(starts, nodes),
    )


def with_values(site: Site, changed: Mapping[int, Site]) -> Site:
    """The container with these members' values replaced, all else as written."""
    pieces: list[bytes] = []
    cursor = site.start
    for index in sorted(changed):
        old = site.child(index)
        pieces += [site.data[cursor : old.start], changed[index].text]
        cursor = old.end
    pieces.append(site.data[cursor : site.end])
    node = regrown(site, {index: new.node for index, new in changed.items()})
    return site.alone(b"".join(pieces), node)


def with_member(
    site: Site, index: int, separator: bytes, key: tuple[str, bytes] | None, value: Site
) -> Site:
    """A container that has members, with one more at `index`.

    `key` is the key and its text with the colon; None in an array.
    """
    body = site.body
    head = key[1] if key else b""
    if index == 0:
        at = start = body.starts[0]
        inserted = head + value.text + separator
    else:
        at = site.member_end(index - 1) - site.start
        start = at + len(separator)
        inserted = separator + head + value.text
    keys = None
    if body.keys is not None and key is not None:
        keys = [*body.keys[:index], key[0], *body.keys[index:]]
    new = Body(
        keys,
        [*body.starts[:index], start, *_later(body.starts[index:], len(inserted))],
        [*body.heads[:index], len(head), *body.heads[index:]],
        [*body.nodes[:index], value.node, *body.nodes[index:]],
    )
    return _rebuilt(site, at, at, inserted, new)


def _later(offsets: list[int], shift: int) -> list[int]:
    return [offset + shift for offset in offsets]


def without_member(site: Site, index: int) -> Site:
    """The container without this member, its comma and its line."""
    body = site.body
    if len(body.nodes) == 1:
        raise ValueError("the only member leaves with its container emptied")
    if index == 0 or (index + 1 < len(body.nodes) and _keeps_blank_line(site, index)):
        begin, end = body.starts[index], body.starts[index + 1]
    else:
        begin = site.member_end(index - 1) - site.start
        end = site.member_end(index) - site.start
    new = Body(
        None if body.keys is None else [*body.keys[:index], *body.keys[index + 1 :]],
        [*body.starts[:index], *_later(body.starts[index + 1 :], begin - end)],
        [*body.heads[:index], *body.heads[index + 1 :]],
        [*body.nodes[:index], *body.nodes[index + 1 :]],
    )
    return _rebuilt(site, begin, end, b"", new)


def _keeps_blank_line(site: Site, index: int) -> bool:
    """Of the two separators around a member, the one with fewer line breaks goes."""
    return breaks(site.separator(index + 1)) < breaks(site.separator(index))


def breaks(gap: bytes) -> int:
    return gap.count(b"\n") + gap.count(b"\r") - gap.count(b"\r\n")


def with_key(site: Site, index: int, key: str, text: bytes) -> Site:
    """The object with one key renamed."""
    body = site.body
    begin = body.starts[index]
    end = begin + body.heads[index] - len(site.colon(index))
    shift = len(text) - (end - begin)
    keys, heads = list(body.keys or ()), body.heads.copy()
    keys[index] = key
    heads[index] += shift
    starts = [*body.starts[: index + 1], *_later(body.starts[index + 1 :], shift)]
    return _rebuilt(site, begin, end, text, Body(keys, starts, heads, body.nodes))


def with_order(site: Site, index: int, target: int) -> Site:
    """The container with one member at another place. The whitespace between places stays."""
    body = site.body
    order = list(range(len(body.nodes)))
    order.insert(target, order.pop(index))
    first, last = min(index, target), max(index, target)
    starts = body.starts.copy()
    pieces: list[bytes] = []
    cursor = body.starts[first]
    for place in range(first, last + 1):
        source = order[place]
        member = site.data[site.member_start(source) : site.member_end(source)]
        starts[place] = cursor
        gap = site.separator(place + 1) if place < last else b""
        pieces += [member, gap]
        cursor += len(member) + len(gap)
    new = Body(
        None if body.keys is None else [body.keys[source] for source in order],
        starts,
        [body.heads[source] for source in order],
        [body.nodes[source] for source in order],
    )
    end = site.member_end(last) - site.start
    return _rebuilt(site, body.starts[first], end, b"".join(pieces), new)


def _rebuilt(site: Site, begin: int, end: int, text: bytes, body: Body) -> Site:
    start = site.start
    data = b"".join((site.data[start : start + begin], text, site.data[start + end : site.end]))
    values = [node.value for node in body.nodes]
    value = values if body.keys is None else dict(zip(body.keys, values, strict=True))
    repeats = site.node.repeats and has_repeats(body.keys, body.nodes)
    node = replace(site.node, length=len(data), value=value, repeats=repeats, body=body)
    return site.alone(data, node)


def has_repeats(keys: list[str] | None, nodes: list[Node]) -> bool:
    twice = keys is not None and len(set(keys)) != len(keys)
    return twice or any(node.repeats for node in nodes)
