"""The number of steps in which a validator checks one value: the value decides it where a schema
contains itself.

Counted without validating: each pair of a subschema and a part of the value once, even if a
validator visits it a million times. So counting is fast where validating is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workflows.core.json_schemas.document import (
    ARRAY_REST,
    OBJECT_REST,
    SchemaDocument,
    repeats,
    same_place,
)

MAX_PAIRS = 200_000
COUNTED_LEVELS = 400
Count = tuple[int, int]
"""Steps in all, and steps inside alternatives, whose errors a validator keeps until the end."""


class Uncountable(ValueError):
    """The value is nested too deeply, or has too many parts to count the steps."""


def parts_of(value: Any, most: int) -> int:
    """The number of values inside a value, itself included; counting ends above `most`."""
    count, todo = 0, [value]
    while todo and count <= most:
        item = todo.pop()
        count += 1
        if isinstance(item, Mapping):
            todo += item.values()
        elif isinstance(item, list):
            todo += item
    return count


class StepCounter:
    """Counts for one schema and one value. Raises Uncountable."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document
        self._counts: dict[tuple[int, int], Count] = {}
        self._open: set[tuple[int, int]] = set()

    def count(self, value: Any) -> Count:
        return self._of(self._document.root, value, 0)

    def _of(self, node: Any, value: Any, depth: int) -> Count:
        if not isinstance(node, Mapping):
            return 1, 0
        pair = (id(node), id(value))
        if pair in self._counts:
            return self._counts[pair]
        if depth > COUNTED_LEVELS or len(self._counts) > MAX_PAIRS or pair in self._open:
            raise Uncountable
        self._open.add(pair)
        steps, branches = 0, 0
        for item, inner, alternative in self._uses(node, value):
            more, within = self._of(item, inner, depth + 1)
            steps += more
            branches += more if alternative else within
        self._open.discard(pair)
        times = repeats(node)
        self._counts[pair] = (1 + times * steps, times * branches)
        return self._counts[pair]

    def _uses(self, node: Mapping[str, Any], value: Any) -> Iterator[tuple[Any, Any, bool]]:
        """Each subschema with the part of the value that it checks; True for an alternative."""
        for target, _ in self._document.targets(node):
            yield target, value, False
        for item, _, alternative in same_place(node):
            yield item, value, alternative
        if isinstance(value, Mapping):
            yield from _of_object(node, value)
        elif isinstance(value, list):
            yield from _of_array(node, value)


def _of_object(
    node: Mapping[str, Any], value: Mapping[str, Any]
) -> Iterator[tuple[Any, Any, bool]]:
    declared = node.get("properties")
    properties = declared if isinstance(declared, Mapping) else {}
    patterns = node.get("patternProperties")
    rest = [node[word] for word in OBJECT_REST if word in node]
    rest += patterns.values() if isinstance(patterns, Mapping) else ()
    for key, item in value.items():
        if key in properties:
            yield properties[key], item, False
        for schema in rest:
            yield schema, item, False
        if "propertyNames" in node:
            yield node["propertyNames"], key, False


def _of_array(node: Mapping[str, Any], value: list[Any]) -> Iterator[tuple[Any, Any, bool]]:
    first = node.get("prefixItems", node.get("items"))
    rest = [node[word] for word in ARRAY_REST if isinstance(node.get(word), Mapping)]
    for number, item in enumerate(value):
        if isinstance(first, list) and number < len(first):
            yield first[number], item, False
        for schema in rest:
            yield schema, item, False
