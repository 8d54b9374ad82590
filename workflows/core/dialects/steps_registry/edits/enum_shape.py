"""The shape of a schema around its enum of intents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workflows.core.text.tolerant import as_object


def property_names(keys: tuple[str, ...]) -> tuple[str, ...] | None:
    """("a", "b") for properties/a/properties/b, None for any other pointer."""
    if len(keys) % 2 or any(key != "properties" for key in keys[::2]):
        return None
    return keys[1::2]


def with_enum(value: Any, names: Sequence[str], values: list[str]) -> dict[str, Any]:
    """A copy of a schema in which the property at `names` lists `values`."""
    node = dict(as_object(value))
    if not names:
        return {"type": "string", **node, "enum": values}
    node.setdefault("type", "object")
    properties = dict(as_object(node.get("properties")))
    properties[names[0]] = with_enum(properties.get(names[0]), names[1:], values)
    required = node.get("required")
    node["required"] = required if isinstance(required, list) else [names[0]]
    return {**node, "properties": properties}
