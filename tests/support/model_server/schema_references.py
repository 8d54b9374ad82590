"""References of a schema that lead nowhere, which every provider refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def unresolved(schema: Any) -> Iterator[str]:
    """The local references in this schema without a target."""
    left = [schema]
    while left:
        node = left.pop()
        if isinstance(node, Mapping):
            reference = node.get("$ref")
            if isinstance(reference, str) and target(schema, reference) is None:
                yield reference
            left += node.values()
        elif isinstance(node, list):
            left += node


def target(root: Any, reference: str) -> Any:
    """The subschema at a reference, None if there is none."""
    if not reference.startswith("#"):
        return None
    node = root
    for part in reference[1:].split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, list) and name.isdigit() and int(name) < len(node):
            node = node[int(name)]
        else:
            node = node.get(name) if isinstance(node, Mapping) else None
    return node
