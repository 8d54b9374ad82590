"""References and applicators of a JSON Schema, for measuring what a validator would do.

Nothing is fetched. Every draft's keywords are read, because a schema may name any draft.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from workflows.core.text.json.pointer import unescape
from workflows.core.text.tolerant import as_list

Pointer = tuple[str | int, ...]

BASE = "http://schema.invalid/"
"""The address of a schema without one, so that relative references can be joined."""
SAME_PLACE = ("not", "if", "then", "else")
SAME_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
SAME_PLACE_MAPS = ("dependentSchemas", "dependencies")
DATA = frozenset({"enum", "const", "default", "examples"})
"""Keywords whose values are data and not schemas."""
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class SchemaDocument:
    """One schema with its embedded resources and anchors."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._resources: dict[str, tuple[Any, Pointer]] = {BASE: (root, ())}
        self._anchors: dict[str, list[tuple[Any, Pointer]]] = {}
        self._bases: dict[int, str] = {}
        self._index()

    def _index(self) -> None:
        todo: list[tuple[Any, Pointer, str]] = [(self.root, (), BASE)]
        while todo:
            node, pointer, base = todo.pop()
            if isinstance(node, Mapping):
                name = node.get("$id")
                if isinstance(name, str):
                    base = urljoin(base, urldefrag(name)[0])
                    self._resources.setdefault(base, (node, pointer))
                self._bases[id(node)] = base
                for word in ("$anchor", "$dynamicAnchor"):
                    if isinstance(node.get(word), str):
                        self._anchors.setdefault(node[word], []).append((node, pointer))
                if isinstance(name, str) and name.startswith("#"):  # an anchor until draft-07
                    self._anchors.setdefault(name[1:], []).append((node, pointer))
                todo += [
                    (item, (*pointer, key), base) for key, item in node.items() if key not in DATA
                ]
            elif isinstance(node, list):
                todo += [(item, (*pointer, number), base) for number, item in enumerate(node)]

    def targets(self, node: Mapping[str, Any]) -> Iterator[tuple[Any, Pointer]]:
        """The subschemas that a node refers to; several where only a run decides which."""
        for word in REFERENCES:
            reference = node.get(word)
            if isinstance(reference, str):
                yield from self._resolved(reference, self._bases.get(id(node), BASE))

    def _resolved(self, reference: str, base: str) -> Iterator[tuple[Any, Pointer]]:
        address, fragment = urldefrag(urljoin(base, reference))
        resource = self._resources.get(address)
        if fragment and not fragment.startswith("/"):
            yield from self._anchors.get(unquote(fragment), ())
        elif resource is not None:
            target = _pointed(*resource, unquote(fragment))
            if target is not None:
                yield target


def same_place(node: Mapping[str, Any]) -> Iterator[tuple[Any, Pointer, bool]]:
    """Subschemas that check the same value as their parent: the subschema, its pointer in the
    parent, and True for an alternative, whose errors a validator collects."""
    for word in SAME_PLACE:
        if word in node:
            yield node[word], (word,), False
    for word in SAME_PLACE_LISTS:
        items = node.get(word)
        for number, item in enumerate(as_list(items)):
            yield item, (word, number), word != "allOf"
    for word in SAME_PLACE_MAPS:
        items = node.get(word)
        for key, item in items.items() if isinstance(items, Mapping) else ():
            yield item, (word, key), False


def repeats(node: Mapping[str, Any]) -> int:
    """The number of times that a validator checks the subschemas of a node: twice if it has to know
    what they evaluated."""
    return 2 if "unevaluatedProperties" in node or "unevaluatedItems" in node else 1


OBJECT_MAPS = ("properties", "patternProperties")
OBJECT_REST = ("additionalProperties", "unevaluatedProperties")
ARRAY_REST = ("items", "additionalItems", "unevaluatedItems", "contains")


def parts(node: Mapping[str, Any]) -> Iterator[tuple[Any, Pointer]]:
    """Subschemas that check a part of the value: a property, its name, or an item."""
    for word in OBJECT_MAPS:
        items = node.get(word)
        for key, item in items.items() if isinstance(items, Mapping) else ():
            yield item, (word, key)
    for word in (*OBJECT_REST, "propertyNames", *ARRAY_REST):
        if isinstance(node.get(word), Mapping):
            yield node[word], (word,)
    for word in ("prefixItems", "items"):
        items = node.get(word)
        for number, item in enumerate(as_list(items)):
            yield item, (word, number)


def _pointed(value: Any, at: Pointer, fragment: str) -> tuple[Any, Pointer] | None:
    for part in fragment.split("/")[1:]:
        name = unescape(part)
        if isinstance(value, Mapping) and name in value:
            value, at = value[name], (*at, name)
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value, at = value[int(name)], (*at, int(name))
        else:
            return None
    return value, at
