"""The JSON Schema of the format, for validation and forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

from workflows.core.text.json.document import Pointer


@cache
def schema() -> Mapping[str, Any]:
    """The whole schema, as exported."""
    text = files(__package__).joinpath("agent_graph.schema.json").read_text("utf-8")
    value: dict[str, Any] = json.loads(text)
    return value


@cache
def validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(dict(schema()))


def definition(name: str) -> dict[str, Any]:
    """A definition with all references resolved."""
    schema: dict[str, Any] = _whole({"$ref": f"#/$defs/{name}"})
    return schema


def at(pointer: Pointer) -> dict[str, Any]:
    """The definition for a place in a pack; {} without one."""
    schema: Any = definition("Pack")
    for key in pointer:
        inner = (
            schema.get("items") if isinstance(key, int) else schema.get("properties", {}).get(key)
        )
        schema = inner or {}
    return dict(schema)


def _whole(value: Any) -> Any:
    match value:
        case {"$ref": str(reference), **beside}:
            target = schema()["$defs"][reference.rsplit("/", 1)[-1]]
            return {**_whole(target), **_whole(beside)}
        case dict():
            return {key: _whole(item) for key, item in value.items()}
        case list():
            return [_whole(item) for item in value]
    return value
