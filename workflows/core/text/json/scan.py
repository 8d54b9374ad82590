"""The positions of a container's members, computed on demand and cached.

The value is known by then, so the text is known to be JSON: members are found with the standard
library's C scanner, which skips a whole member at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from workflows.core.text.json.node import Body, Node

_AHEAD = 2  # levels of a large container that are scanned with it
_MANY = 256  # members; containers with more are scanned along with what surrounds them
_LARGE = 32_768  # bytes
_TOO_MANY = 50_000  # members; these, and long rows of scalars, are scanned alone

_GAP = re.compile(r"[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
_KEY = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")[ \t\r\n]*:[ \t\r\n]*')
_skip: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def body_of(node: Node, data: bytes, start: int) -> Body:
    """The members of the container `node` whose bytes begin at `start` of `data`.

    The outer levels inside a large container are scanned with it, unless a key repeats.
    """
    if node.body is None:
        text = data[start : start + node.length].decode("latin-1")
        ahead = _AHEAD if node.length >= _LARGE and not node.repeats else 0
        node.body, _ = _scan(text, 0, node.value, ahead)
    return node.body


class NotANumber(ValueError):
    """NaN and the infinities, which Python's reader lets through and JSON does not know."""


def _refuse(name: str) -> Any:
    raise NotANumber(name)


def decoder(repeated: list[dict[str, Any]]) -> json.JSONDecoder:
    """A strict reader that adds every object in which a key repeats to `repeated`."""

    def together(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            repeated.append(members)
        return members

    return json.JSONDecoder(object_pairs_hook=together, parse_constant=_refuse)


def space_end(text: str, at: int) -> int:
    """The end of the whitespace at `at`."""
    match = _GAP.match(text, at)
    return match.end() if match else at


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
    at = space_end(text, start + 1)
    while match := _KEY.match(text, at):
        key = _string(match[1])
        begin = match.end()
        node, end = _member(text, begin, value[key], ahead)
        keys.append(key)
        body.starts.append(at - start)
        body.heads.append(begin - at)
        body.nodes.append(node)
        comma = _COMMA.match(text, end)
        at = comma.end() if comma else space_end(text, end)
        if comma is None:
            break
    body.keys = keys
    if len(keys) != len(value):
        _mend(body, text[start:at])
    return body, at + 1


def _scan_array(text: str, start: int, value: list[Any], ahead: int) -> tuple[Body, int]:
    body = Body(None, [], [0] * len(value), [])
    at = space_end(text, start + 1)
    for element in value:
        node, end = _member(text, at, element, ahead)
        body.starts.append(at - start)
        body.nodes.append(node)
        comma = _COMMA.match(text, end)
        at = comma.end() if comma else space_end(text, end)
    return body, at + 1


def _member(text: str, begin: int, value: Any, ahead: int) -> tuple[Node, int]:
    if ahead and _with_outer(value) and (ahead > 1 or len(value) >= _MANY):
        body, end = _scan(text, begin, value, max(1, ahead - 1))
        return Node(end - begin, value, body=body), end
    end = _skip(text, begin)[1]
    return Node(end - begin, value), end


def _with_outer(value: Any) -> bool:
    """True for a container that is scanned with the one around it."""
    if not isinstance(value, dict | list) or len(value) > _TOO_MANY:
        return False
    inside = value.values() if isinstance(value, dict) else value
    return len(value) < _MANY or isinstance(next(iter(inside)), dict | list)


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
    """A member that a later one with the same key hides: no dict has its value."""
    data = text.encode("latin-1")
    repeated: list[dict[str, Any]] = []
    value = decoder(repeated).decode(data.decode("utf-8"))
    node = Node(len(data), value)
    mark_repeats(node, data, 0, repeated)
    return node


def mark_repeats(root: Node, data: bytes, start: int, repeated: list[dict[str, Any]]) -> None:
    """Flag every container on the way to an object with repeated keys. Scans only those ways."""
    containers: set[int] = set()
    if isinstance(root.value, dict | list):
        _mark_containers(root.value, {id(each) for each in repeated}, containers)
    waiting = [(root, start)]
    for node, begin in waiting:
        if id(node.value) in containers:
            node.repeats = True
            children = body_of(node, data, begin).children()
            waiting += [(child, begin + offset) for offset, child in children]


def _mark_containers(value: Any, repeated: set[int], containers: set[int]) -> bool:
    """Collect the ids of the containers that are or hold one of `repeated`."""
    holds = id(value) in repeated
    for child in value.values() if type(value) is dict else value:
        if (type(child) is dict or type(child) is list) and _mark_containers(
            child, repeated, containers
        ):
            holds = True
    if holds:
        containers.add(id(value))
    return holds
