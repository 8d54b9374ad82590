"""The cached data of one value: its length, its meaning and, on demand, its members.

All offsets in a `Body` count from the container's opening bracket, so they remain valid when
an edit elsewhere moves the container.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import add
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The layout of one container. `lead` and `tail` pad inline brackets; `gap` is the comma with
    the whitespace around it when inline, `colon` likewise; `unit` is the indentation of lines
    when expanded, None if it is unknown."""

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
    container was laid out before its last member went: both let an edit be undone exactly.
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
