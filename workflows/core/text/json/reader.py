"""Queries on a JSON text: values, places, lines, spelling, repeated keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from workflows.core.pack.forms import Json
from workflows.core.text.json.line_numbers import Lines
from workflows.core.text.json.node import Node
from workflows.core.text.json.pointer import Pointer, index_in, pointer_text
from workflows.core.text.json.tree import Site, is_container


@dataclass(frozen=True, slots=True)
class Span:
    """Byte offsets into `JsonText.data`; `end` is the first byte after."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A repeated key of an object, with the line of the later one."""

    pointer: Pointer
    line: int


class Step(NamedTuple):
    """A container on the way to a place and the member that leads on."""

    site: Site
    member: int


class Reading:
    """Bytes and their parse tree. Immutable, except for caches."""

    __slots__ = ("_duplicates", "_lines", "_root", "data")

    data: bytes

    def __init__(self, data: bytes, start: int, root: Node) -> None:
        self.data = data
        self._root = Site(data, start, root)
        self._lines: Lines | None = None
        self._duplicates: tuple[Duplicate, ...] | None = None

    @property
    def value(self) -> Any:
        """The whole text as Python values. Shared: not to be changed."""
        return self._root.node.value

    @property
    def duplicates(self) -> tuple[Duplicate, ...]:
        """Every repetition of a key, in the order of the file."""
        if self._duplicates is None:
            self._duplicates = tuple(self._repeated(self._root, ()))
        return self._duplicates

    def get(self, pointer: Pointer, default: Json = None) -> Any:
        """The value at a place, or `default` where there is none. Shared: not to be changed."""
        site = self._find(pointer)
        return default if site is None else site.node.value

    def has(self, pointer: Pointer) -> bool:
        return self._find(pointer) is not None

    def line(self, pointer: Pointer, *, key: bool = False) -> int:
        """The 1-based line of the value, or of its key; of the nearest ancestor if absent."""
        member, site = self._nearest(pointer)
        return self._line_at(member if key else site.start)

    def span(self, pointer: Pointer) -> Span:
        """The span of the value. KeyError if absent."""
        _, site = self._walk(pointer)
        return Span(site.start, site.end)

    def raw(self, pointer: Pointer) -> str:
        """The value as written. KeyError if absent."""
        _, site = self._walk(pointer)
        return site.text.decode("utf-8")

    def _walk(self, pointer: Pointer) -> tuple[list[Step], Site]:
        steps, site = self._walk_or_parent(pointer)
        if site is None:
            raise KeyError(pointer_text(pointer))
        return steps, site

    def _walk_or_parent(self, pointer: Pointer) -> tuple[list[Step], Site | None]:
        """The steps to a place; None for its site if only the last segment is missing."""
        steps: list[Step] = []
        site = self._root
        for position, segment in enumerate(pointer):
            index = index_in(site, segment)
            if index is None:
                if position + 1 < len(pointer) or not is_container(site.node.value):
                    raise KeyError(pointer_text(pointer))
                return steps, None
            steps.append(Step(site, index))
            site = site.child(index)
        return steps, site

    def _find(self, pointer: Pointer) -> Site | None:
        site = self._root
        for segment in pointer:
            index = index_in(site, segment)
            if index is None:
                return None
            site = site.child(index)
        return site

    def _nearest(self, pointer: Pointer) -> tuple[int, Site]:
        """The value at a pointer or its nearest ancestor, and where its member begins."""
        member, site = self._root.start, self._root
        for segment in pointer:
            index = index_in(site, segment)
            if index is None:
                break
            member, site = site.member_start(index), site.child(index)
        return member, site

    def _line_at(self, offset: int) -> int:
        if self._lines is None:
            self._lines = Lines(self.data)
        return self._lines.at(offset)

    def _repeated(self, site: Site, pointer: Pointer) -> Iterator[Duplicate]:
        if not site.node.repeats:
            return
        keys = site.body.keys
        names: set[str] = set()
        for index in range(site.size):
            name = index if keys is None else keys[index]
            here = (*pointer, name)
            if name in names:
                yield Duplicate(here, self._line_at(site.member_start(index)))
            if isinstance(name, str):
                names.add(name)
            yield from self._repeated(site.child(index), here)
