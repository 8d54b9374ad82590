"""The size of a schema once its references are replaced, computed without replacing them. A small
file can have a resolved schema of any size."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    follow,
    value_at,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.limits import VALUE_DEPTH

MAX_RESOLVED = 200_000
"""Characters of one resolved schema, about."""
_CONTAINER = 8
_SCALAR = 4
"""Characters of the brackets of a container, and of a number or another short value, about."""


def resolved_size(source: RegistrySource, location: SchemaLocation) -> int:
    """The characters of the resolved schema, about. Each part of a file is measured once for a
    source, in the order in which it is resolved. Raises SchemaProblem for a missing or endless
    reference."""
    sizes: dict[SchemaLocation, int] = source.kept.setdefault("resolved_sizes", {})
    return _size(source, location, value_at(source, location), sizes, {})


def _size(
    source: RegistrySource,
    location: SchemaLocation,
    node: Any,
    sizes: dict[SchemaLocation, int],
    open_: dict[SchemaLocation, None],
) -> int:
    """`node` is the value at the location. `sizes` has only parts without a problem."""
    if isinstance(node, dict) and isinstance(node.get("$ref"), str):
        location = follow(source, location)
        node = value_at(source, location)
    if location in open_ or len(open_) > VALUE_DEPTH:
        raise endless(location)
    if location in sizes:
        return sizes[location]
    if not isinstance(node, dict | list):
        return len(node) if isinstance(node, str) else _SCALAR
    open_[location] = None
    size = _CONTAINER
    for key, item in _items(node):
        size += len(key) + _size(source, location.child(key), item, sizes, open_)
    del open_[location]
    sizes[location] = size
    return size


def _items(node: dict[str, Any] | list[Any]) -> list[tuple[str, Any]]:
    """The members in the order in which they are resolved: `allOf` last."""
    if isinstance(node, list):
        return [(str(index), item) for index, item in enumerate(node)]
    return sorted(node.items(), key=lambda member: member[0] == "allOf")


def endless(location: SchemaLocation) -> SchemaProblem:
    """The problem of a schema that contains itself, or has too many levels."""
    return SchemaProblem(f"The schema at {'/'.join(location.pointer)} contains itself")
