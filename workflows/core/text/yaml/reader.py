"""Queries on a YAML text: values, places, lines, spelling, repeated keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from workflows.core.pack.forms import Json
from workflows.core.text.json.line_numbers import Lines
from workflows.core.text.json.pointer import number_of, pointer_text
from workflows.core.text.json.reader import Duplicate, Span
from workflows.core.text.yaml.errors import YamlTextError, at_text
from workflows.core.text.yaml.node import Member, Node, member_of, sources
from workflows.core.text.yaml.parse import BOM

Pointer: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePath:
    """The path to a value: `node` is None if only the last segment is missing; `key` is the
    nearest key on the path."""

    pointer: Pointer
    node: Node | None
    container: Node | None = None
    member: Member | None = None
    key: str | None = None

    @property
    def here(self) -> Node:
        if self.node is None:
            raise KeyError(pointer_text(self.pointer))
        return self.node


class Reading:
    """Bytes, their text and its parse tree. Immutable."""

    __slots__ = ("_lines", "_root", "_skipped", "_text", "data")

    data: bytes

    def __init__(self, data: bytes, text: str, root: Node) -> None:
        self.data = data
        self._text = text
        self._root = root
        self._skipped = len(BOM) if data.startswith(BOM) else 0
        self._lines: Lines | None = None

    @property
    def value(self) -> Any:
        """Plain values; what several aliases name is one object. None for an empty text."""
        return self._root.value

    @property
    def duplicates(self) -> tuple[Duplicate, ...]:
        """Every repetition of a key, in the order of the file."""
        duplicates: list[tuple[int, Duplicate]] = []
        waiting: list[tuple[Node, Pointer]] = [(self._root, ())]
        while waiting:
            node, pointer = waiting.pop()
            keys: set[str] = set()
            for index, member in enumerate(node.members if node.repeats else ()):
                here = (*pointer, index if member.key is None else member.key)
                if member.key in keys and not member.merges:
                    line = self._line_at(member.begin)
                    duplicates.append((member.begin, Duplicate(here, line)))
                if member.key is not None:
                    keys.add(member.key)
                waiting.append((member.node, here))
        return tuple(each for _, each in sorted(duplicates, key=lambda row: row[0]))

    def get(self, pointer: Pointer, default: Json = None) -> Any:
        node = self._node_at(pointer)
        return default if node is None else node.value

    def has(self, pointer: Pointer) -> bool:
        return self._node_at(pointer) is not None

    def line(self, pointer: Pointer, *, key: bool = False) -> int:
        """The 1-based line of the value, or of its key; of the nearest ancestor if absent.
        Of what an alias or `<<` brings in: where it is written."""
        node, begin = self._root, self._root.inside
        for segment in pointer:
            member = _member(node.real, segment)
            if member is None:
                break
            node, begin = member.node, member.begin
        return self._line_at(begin if key else node.inside)

    def span(self, pointer: Pointer) -> Span:
        """The span of the value in bytes. KeyError if absent."""
        node = self._node_at(pointer)
        if node is None:
            raise KeyError(pointer_text(pointer))
        return Span(self._byte(node.inside), self._byte(node.end))

    def raw(self, pointer: Pointer) -> str:
        """The value as written. KeyError if absent."""
        span = self.span(pointer)
        return self.data[span.start : span.end].decode("utf-8")

    def _byte(self, position: int) -> int:
        return self._skipped + len(self._text[:position].encode("utf-8"))

    def _line_at(self, position: int) -> int:
        if self._lines is None:
            self._lines = Lines(self._text.encode("latin-1", "replace"))  # a byte per character
        return self._lines.at(position)

    def _node_at(self, pointer: Pointer) -> Node | None:
        node = self._root
        for segment in pointer:
            member = _member(node.real, segment)
            if member is None:
                return None
            node = member.node
        return node

    def _path_to(self, pointer: Pointer, *, missing: bool = False) -> ValuePath:
        """The path to an editable value. With `missing`, its last segment may be absent.

        KeyError if it is absent, YamlTextError if it is only there through an alias or `<<`.
        """
        path = ValuePath(pointer=(), node=self._root)
        for count, segment in enumerate(pointer, start=1):
            container = path.here
            if container.kind == "alias":
                raise self._through_alias(path.pointer, container)
            member = _own_member(container, segment)
            here = pointer[:count]
            if member is None:
                if missing and count == len(pointer):
                    return ValuePath(pointer=here, node=None)
                merged = _member(container, segment)
                if merged is not None:
                    raise self._refused(
                        here, f"'{segment}' comes in by '<<' and cannot be changed here.",
                        f"Change it on line {self._line_at(merged.begin)}, where it is written.",
                    )  # fmt: skip
                raise KeyError(pointer_text(pointer))
            path = ValuePath(
                pointer=here, node=member.node, container=container, member=member,
                key=path.key if member.key is None else member.key,
            )  # fmt: skip
        return path

    def _step(self, pointer: Pointer) -> tuple[Node, int]:
        """A member's container and its place in it."""
        path = self._path_to(pointer)
        if path.container is None or path.member is None:
            raise KeyError(pointer_text(pointer))
        return path.container, path.container.members.index(path.member)

    def _indexes(self, pointer: Pointer) -> list[int]:
        """A pointer as places of members."""
        return [self._step(pointer[:count])[1] for count in range(1, len(pointer) + 1)]

    def _position(self, container: Node, before: str | None, index: int | None) -> int:
        size = len(container.members)
        if before is not None:
            member = member_of(container, before)
            if member is None:
                raise KeyError(before)
            return container.members.index(member)
        if index is None:
            return size
        if not 0 <= index <= size:
            raise IndexError(f"there is no place {index} among {size}")
        return index

    def _through_alias(self, pointer: Pointer, node: Node) -> YamlTextError:
        line = self._line_at(node.real.start)
        name = f"'{pointer_text(pointer)}' is an alias: it repeats what &{node.anchor} names."
        hint = f"Change it on line {line}, the line of &{node.anchor}, or replace the alias."
        return self._refused(pointer, name, hint)

    def _refused(self, pointer: Pointer, message: str, hint: str) -> YamlTextError:
        node = self._root
        for segment in pointer:
            member = _own_member(node, segment)
            if member is None:
                break
            node = member.node
        return at_text(message, self._skipped, self._text, node.start, hint=hint)


def _own_member(node: Node, segment: str | int) -> Member | None:
    if node.kind == "mapping":
        return member_of(node, str(segment))
    number = number_of(segment) if node.kind == "sequence" else None
    return node.members[number] if number is not None and number < len(node.members) else None


def _member(node: Node, segment: str | int) -> Member | None:
    """A member a segment names, own or merged in."""
    own = _own_member(node, segment)
    if own is not None or node.kind != "mapping":
        return own
    for member in node.members:
        for source in sources(member.node) if member.merges else ():
            merged = _member(source, segment)
            if merged is not None:
                return merged
    return None
