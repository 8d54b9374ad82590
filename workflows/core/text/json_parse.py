"""JSON bytes → a plain value and, on demand, where every part of it lies.

The value comes from the standard library's C scanner in one go. Spans are found when somebody asks:
a container's members are scanned once, again with the C scanner skipping whole members, and kept.
All offsets in a `Body` count from the container's opening bracket, so they stay true wherever an
edit elsewhere moves the container.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import add
from typing import Any

from workflows.core.text.json_errors import JsonTextError, depth_error, explained, unreadable

MAX_DEPTH = 200
BOM = b"\xef\xbb\xbf"
_AHEAD = 2  # levels scanned while parsing
_MANY = 256  # members; containers with more are scanned while parsing
_LARGE = 32_768  # bytes; larger containers are scanned while parsing, so that no edit waits for it

_GAP = re.compile(r"[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
_KEY = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")[ \t\r\n]*:[ \t\r\n]*')
_skip: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How one container is written. `lead` and `tail` pad inline brackets; `gap` is the comma with
    the whitespace around it when inline, `colon` likewise; `unit` is what lines are indented by
    when expanded, None if that cannot be told from it."""

    expanded: bool
    lead: bytes = b""
    tail: bytes = b""
    gap: bytes = b", "
    colon: bytes = b": "
    unit: bytes | None = None


@dataclass(slots=True, eq=False)
class Node:
    """One value: its length in bytes and what it means. Never changed, except to remember a scan.

    `hollow` is the whitespace the brackets held before the first member was put in, `layout` how a
    container was laid out before its last member went: both let an edit be taken back exactly.
    """

    length: int
    value: Any
    repeats: bool = False  # some object in here has the same key twice
    body: Body | None = None
    hollow: bytes = b""
    layout: Layout | None = None


@dataclass(slots=True, eq=False)
class Body:
    """The members of one container; offsets count from its opening bracket."""

    keys: list[str] | None  # None for an array
    starts: list[int]  # where each member begins: its key, or the element itself
    heads: list[int]  # bytes from there to the member's value: the key and its colon
    nodes: list[Node]
    _places: dict[str, int] | None = field(default=None, repr=False)

    def place(self, key: str) -> int | None:
        """The index of the last member with this key."""
        if self.keys is None:
            return None
        if self._places is None:
            self._places = {name: index for index, name in enumerate(self.keys)}
        return self._places.get(key)

    def with_values(self, starts: list[int], nodes: list[Node]) -> Body:
        """The same keys with other values."""
        return Body(self.keys, starts, self.heads, nodes, self._places)

    def children(self) -> Iterator[tuple[int, Node]]:
        """Each value's offset and node."""
        return zip(map(add, self.starts, self.heads), self.nodes, strict=True)


def parse(data: bytes) -> tuple[int, Node]:
    """The offset of the root value and its node.

    Raises JsonTextError for anything that is not exactly one UTF-8 JSON value of at most MAX_DEPTH
    nested containers.
    """
    skipped = len(BOM) if data.startswith(BOM) else 0
    try:
        text = data[skipped:].decode("utf-8")
    except UnicodeDecodeError as error:
        raise unreadable(data, error.start + skipped) from None
    if "\0" in text[:4]:
        raise unreadable(data, data.index(b"\0"))
    value, repeated, begin, end = _loaded(data, skipped, text)
    start = skipped + begin
    root = Node(len(data) - (len(text) - end) - start, value)
    if repeated:
        _mark_repeats(root, data, start, repeated)
    elif isinstance(value, dict | list):
        root.body, _ = _scan(data.decode("latin-1"), start, value, _AHEAD)
    _scan_large(root, data, start)
    return start, root


def body_of(node: Node, data: bytes, start: int) -> Body:
    """The members of the container `node` whose bytes begin at `start` of `data`."""
    if node.body is None:
        text = data[start : start + node.length].decode("latin-1")
        node.body, _ = _scan(text, 0, node.value, 0)
    return node.body


def _loaded(data: bytes, skipped: int, text: str) -> tuple[Any, list[dict[str, Any]], int, int]:
    begin = _end(_GAP, text, 0)
    repeated: list[dict[str, Any]] = []
    try:
        value, end = _decoder(repeated).raw_decode(text, begin)
        after = _end(_GAP, text, end)
        if after != len(text):
            raise json.JSONDecodeError("Extra data", text, after)
    except RecursionError:
        problem = depth_error(data, skipped, text, MAX_DEPTH)
        if problem is None:
            raise
        raise problem from None
    except ValueError as error:
        raise explained(data, skipped, text, error) from None
    if repeated or data.count(b"{") + data.count(b"[") > MAX_DEPTH:
        deep = bool(repeated) or depth(value) > MAX_DEPTH
        problem = depth_error(data, skipped, text, MAX_DEPTH) if deep else None
        if problem is not None:
            raise problem
    return value, repeated, begin, end


class NotANumber(ValueError):
    """NaN and the infinities, which Python's reader lets through and JSON does not know."""


def _refuse(name: str) -> Any:
    raise NotANumber(name)


def _decoder(repeated: list[dict[str, Any]]) -> json.JSONDecoder:
    def together(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            repeated.append(members)
        return members

    return json.JSONDecoder(object_pairs_hook=together, parse_constant=_refuse)


def depth(value: Any) -> int:
    """How many containers lie inside each other; 0 for a scalar. Stops counting past MAX_DEPTH."""
    level, count = [value], 0
    while True:
        level = [each for each in level if type(each) is dict or type(each) is list]
        if not level or count > MAX_DEPTH:
            return count
        count += 1
        level = [
            child for each in level for child in (each.values() if type(each) is dict else each)
        ]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _scan(text: str, start: int, value: Any, ahead: int) -> tuple[Body, int]:
    """The members of the container at `start` and where it ends.

    `text` is bytes read as latin-1, so that characters count as bytes. With `ahead`, where no key
    repeats, members are scanned likewise that lie less than `ahead` levels deep or have many
    members: skipping them first and scanning them later would read the same text twice.
    """
    return (_scan_object if text[start] == "{" else _scan_array)(text, start, value, ahead)


def _scan_object(text: str, start: int, value: dict[str, Any], ahead: int) -> tuple[Body, int]:
    body = Body([], [], [], [])
    keys: list[str] = []
    at = _end(_GAP, text, start + 1)
    while found := _KEY.match(text, at):
        key = _string(found[1])
        begin = found.end()
        node, end = _member(text, begin, value[key], ahead)
        keys.append(key)
        body.starts.append(at - start)
        body.heads.append(begin - at)
        body.nodes.append(node)
        comma = _COMMA.match(text, end)
        at = comma.end() if comma else _end(_GAP, text, end)
        if comma is None:
            break
    body.keys = keys
    if len(keys) != len(value):
        _mend(body, text[start:at])
    return body, at + 1


def _scan_array(text: str, start: int, value: list[Any], ahead: int) -> tuple[Body, int]:
    body = Body(None, [], [0] * len(value), [])
    at = _end(_GAP, text, start + 1)
    for element in value:
        node, end = _member(text, at, element, ahead)
        body.starts.append(at - start)
        body.nodes.append(node)
        comma = _COMMA.match(text, end)
        at = comma.end() if comma else _end(_GAP, text, end)
    return body, at + 1


def _member(text: str, begin: int, value: Any, ahead: int) -> tuple[Node, int]:
    if ahead and isinstance(value, dict | list) and (ahead > 1 or len(value) >= _MANY):
        body, end = _scan(text, begin, value, max(1, ahead - 1))
        return Node(end - begin, value, body=body), end
    end = _skip(text, begin)[1]
    return Node(end - begin, value), end


def _mend(body: Body, text: str) -> None:
    """Give members that a later one with the same key hides their own values."""
    for index, (key, (offset, node)) in enumerate(
        zip(body.keys or (), list(body.children()), strict=True)
    ):
        if body.place(key) != index:
            body.nodes[index] = _hidden(text[offset : offset + node.length])


def _string(literal: str) -> str:
    if "\\" not in literal and literal.isascii():
        return literal[1:-1]
    return str(json.loads(literal.encode("latin-1")))


def _hidden(text: str) -> Node:
    """A member that a later one with the same key hides: its value is in nobody's dict."""
    data = text.encode("latin-1")
    repeated: list[dict[str, Any]] = []
    value = _decoder(repeated).decode(data.decode("utf-8"))
    node = Node(len(data), value)
    _mark_repeats(node, data, 0, repeated)
    return node


def _mark_repeats(root: Node, data: bytes, start: int, repeated: list[dict[str, Any]]) -> None:
    """Flag every container on the way to an object with repeated keys. Scans only those ways."""
    ways: set[int] = set()
    if isinstance(root.value, dict | list):
        _find_ways(root.value, {id(each) for each in repeated}, ways)
    waiting = [(root, start)]
    for node, begin in waiting:
        if id(node.value) in ways:
            node.repeats = True
            children = body_of(node, data, begin).children()
            waiting += [(child, begin + offset) for offset, child in children]


def _find_ways(value: Any, repeated: set[int], ways: set[int]) -> bool:
    """Collect the ids of the containers that are or hold one of `repeated`."""
    holds = id(value) in repeated
    for child in value.values() if type(value) is dict else value:
        if (type(child) is dict or type(child) is list) and _find_ways(child, repeated, ways):
            holds = True
    if holds:
        ways.add(id(value))
    return holds


def _scan_large(node: Node, data: bytes, start: int) -> None:
    if node.length < _LARGE or not isinstance(node.value, dict | list):
        return
    body = body_of(node, data, start)
    for offset, child in body.children():
        _scan_large(child, data, start + offset)


__all__ = ["BOM", "MAX_DEPTH", "Body", "JsonTextError", "Node", "body_of", "depth", "parse"]
