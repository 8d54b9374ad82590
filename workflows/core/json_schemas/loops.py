"""References of a JSON Schema that lead back to a subschema around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workflows.core.json_schemas.document import Pointer, SchemaDocument, parts, same_place
from workflows.core.rules.strong_components import cyclic_components
from workflows.core.text.json.pointer import pointer_text
from workflows.core.text.tolerant import as_list

DEFINITIONS = ("$defs", "definitions")


def subschemas(node: Mapping[str, Any]) -> Iterator[tuple[Any, Pointer]]:
    """The subschemas directly inside a node, its definitions included."""
    for word in DEFINITIONS:
        named = node.get(word)
        for name, item in named.items() if isinstance(named, Mapping) else ():
            yield item, (word, name)
    for item, at, _ in same_place(node):
        yield item, at
    yield from parts(node)


def contains_itself(schema: Mapping[str, Any]) -> bool:
    """Return True if a reference leads back to a subschema around it."""
    return bool(_loops(schema, required=False))


def endless_loops(schema: Mapping[str, Any]) -> list[str]:
    """Pointers of subschemas that contain themselves in every value: there is no optional property,
    nullable value or list that may be empty in between."""
    return [min(loop) for loop in _loops(schema, required=True)]


def _loops(schema: Mapping[str, Any], *, required: bool) -> list[list[str]]:
    document = SchemaDocument(schema)
    onward: dict[str, list[str]] = {}
    left: list[tuple[Any, Pointer]] = [(schema, ())]
    while left:
        node, pointer = left.pop()
        name = pointer_text(pointer)
        if name in onward or not isinstance(node, Mapping):
            continue
        targets = list(document.targets(node))
        inside = [(item, (*pointer, *at), _may_lack(node, at)) for item, at in subschemas(node)]
        onward[name] = [pointer_text(at) for _, at in targets]
        if not required or not _is_nullable(node):
            onward[name] += [
                pointer_text(at) for _, at, may_lack in inside if not (required and may_lack)
            ]
        left += [*targets, *((item, at) for item, at, _ in inside)]
    return cyclic_components(onward)


def _may_lack(node: Mapping[str, Any], at: Pointer) -> bool:
    """Return True if a value of the node may lack the part that this subschema describes."""
    match at:
        case ("properties", name):
            listed = node.get("required")
            return not isinstance(listed, list) or name not in listed
        case ("items", *_):
            return not node.get("minItems")
        case ("allOf" | "anyOf" | "oneOf", _) | ("prefixItems", _):
            return False
        case _:
            return True


def _is_nullable(node: Mapping[str, Any]) -> bool:
    choices = [node]
    for word in ("anyOf", "oneOf"):
        items = node.get(word)
        choices += [item for item in items or () if isinstance(item, Mapping)]
    return any(one.get("type") == "null" or "null" in as_list(one.get("type")) for one in choices)
