"""The size of a schema once its references are unfolded, which bounds what a validator does.

`anyOf` over two references to the same definition doubles the work. Repeated 29 times, a few
hundred bytes take a validator hours and more memory than a machine has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.json_schemas.document import (
    Pointer,
    SchemaDocument,
    parts,
    repeats,
    same_place,
)

MAX_UNFOLDED = 10_000
"""Subschemas of one schema, with each reference replaced by its target."""
UNFOLDED_LEVELS = 128
"""Subschemas inside each other, with each reference replaced by its target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaSize:
    """`unfolded`: subschemas; `recursive`: the schema contains itself, so that the value decides
    how often each is used."""

    unfolded: int
    recursive: bool


class TooLarge(ValueError):
    """A schema over a limit. `pointer`: the smallest subschema over it."""

    def __init__(self, message: str, pointer: Pointer) -> None:
        super().__init__(message)
        self.message = message
        self.pointer = pointer


def size_of(document: SchemaDocument) -> SchemaSize:
    """Measure a schema, each subschema once. Raises TooLarge."""
    measure = _Measure(document)
    unfolded, _ = measure.of(document.root, (), 0)
    return SchemaSize(unfolded=unfolded, recursive=measure.recursive)


class _Measure:
    def __init__(self, document: SchemaDocument) -> None:
        self.document = document
        self.recursive = False
        self._sizes: dict[int, tuple[int, int]] = {}
        self._open: set[int] = set()

    def of(self, node: Any, pointer: Pointer, depth: int) -> tuple[int, int]:
        """Size and height of a subschema."""
        if not isinstance(node, Mapping):
            return 1, 1
        if id(node) in self._open:
            self.recursive = True
            return 1, 1
        size, height = self._sizes.get(id(node), (0, 0))
        if depth + height > UNFOLDED_LEVELS or depth > UNFOLDED_LEVELS:
            raise TooLarge(
                f"its subschemas are more than {UNFOLDED_LEVELS} levels deep once references are"
                " unfolded",
                pointer,
            )
        if size:
            return size, height
        self._open.add(id(node))
        inner = [self.of(item, at, depth + 1) for item, at in self._below(node, pointer)]
        self._open.discard(id(node))
        size = 1 + repeats(node) * sum(one for one, _ in inner)
        height = 1 + max((one for _, one in inner), default=0)
        if size > MAX_UNFOLDED:
            raise TooLarge(
                f"it unfolds to more than {MAX_UNFOLDED:,} subschemas, too many to check a value"
                " against",
                pointer,
            )
        self._sizes[id(node)] = (size, height)
        return size, height

    def _below(self, node: Mapping[str, Any], pointer: Pointer) -> Iterator[tuple[Any, Pointer]]:
        yield from self.document.targets(node)
        for item, at, _ in same_place(node):
            yield item, (*pointer, *at)
        for item, at in parts(node):
            yield item, (*pointer, *at)
