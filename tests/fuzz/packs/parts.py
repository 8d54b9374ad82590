"""The bytes of a file as a tree of values, each with its own spelling: what an edit must keep.

A second reading of JSON, independent of the one under test, and a coarse one of frontmatter.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import yaml

_SPACE = re.compile(rb"[ \t\r\n]*")
_SCALAR = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null', re.DOTALL)


class NoParts(Exception):
    """The file has no such tree: not JSON, or not UTF-8."""


@dataclass(kw_only=True)
class Part:
    """One value: its bytes, its meaning, and for a container its members and the bytes between
    them. `keys` is None for an array."""

    raw: bytes
    meaning: Any
    keys: list[str] | None = None
    members: list[Part] = field(default_factory=list)
    frame: list[bytes] = field(default_factory=list)

    @property
    def container(self) -> bool:
        return bool(self.frame)


def json_parts(data: bytes) -> tuple[bytes, Part, bytes]:
    """The bytes before the value, the value, and those after it. Raises NoParts."""
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    try:
        data[start:].decode()
        begin = _skip(data, start)
        part, end = _value(data, begin)
    except (IndexError, ValueError, RecursionError) as error:
        raise NoParts from error
    return data[:begin], part, data[end:]


def _skip(data: bytes, at: int) -> int:
    space = _SPACE.match(data, at)
    return space.end() if space else at


def _value(data: bytes, at: int) -> tuple[Part, int]:
    if data[at : at + 1] in (b"{", b"["):
        return _container(data, at)
    scalar = _SCALAR.match(data, at)
    if scalar is None:
        raise NoParts
    value = json.loads(scalar[0])
    meaning = (type(value).__name__ if isinstance(value, bool) else "", value)
    return Part(raw=scalar[0], meaning=meaning), scalar.end()


def _container(data: bytes, at: int) -> tuple[Part, int]:
    close = b"}" if data[at : at + 1] == b"{" else b"]"
    keys: list[str] = []
    members: list[Part] = []
    frame: list[bytes] = []
    begin, here = at, at + 1
    while True:
        here = _skip(data, here)
        if data[here : here + 1] == close:
            break
        if data[here : here + 1] == b"," and members:
            here = _skip(data, here + 1)
        if close == b"}":
            key, here = _value(data, here)
            keys.append(str(key.meaning[1]))
            here = _skip(data, here)
            if data[here : here + 1] != b":":
                raise NoParts
            here = _skip(data, here + 1)
        frame.append(data[begin:here])
        member, here = _value(data, here)
        members.append(member)
        begin = here
    frame.append(data[begin : here + 1])
    meanings = [member.meaning for member in members]
    return Part(
        raw=data[at : here + 1],
        meaning=("object", tuple(zip(keys, meanings, strict=True)))
        if close == b"}"
        else ("array", tuple(meanings)),
        keys=keys if close == b"}" else None,
        members=members,
        frame=frame,
    ), here + 1


_HEAD = re.compile(
    rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_KEY = re.compile(rb"^(?=[A-Za-z_'\"])", re.MULTILINE)
_REST = re.compile(rb"(?:^[ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z))+\Z", re.MULTILINE)


def head_parts(data: bytes) -> dict[str, tuple[Any, bytes]]:
    """The top-level keys of front matter: each with its meaning and its lines, without comments
    after them. Keys that occur twice, or that alone are no YAML, are left out."""
    head = _HEAD.match(data)
    found: dict[str, tuple[Any, bytes]] = {}
    twice: set[str] = set()
    for block in _KEY.split(head[1]) if head else ():
        lines = _REST.sub(b"", block)
        try:
            value = yaml.safe_load(lines)
        except (yaml.YAMLError, ValueError, RecursionError):
            continue
        if isinstance(value, dict) and len(value) == 1:
            ((key, meaning),) = value.items()
            if f"{key}" in found:
                twice.add(f"{key}")
            found[f"{key}"] = (meaning, lines)
    return {key: part for key, part in found.items() if key not in twice}
