"""The JSON Schema of a pack (version 1.9 of the format), put together from schemas/*.json.

One schema has three uses: it validates packs, it generates the inspector's forms, and its marks
describe older versions (see versions.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.text.tolerant import as_str


@cache
def definitions() -> Mapping[str, Any]:
    """Every definition by name."""
    result: dict[str, Any] = {}
    for file in sorted(files(__package__).iterdir(), key=lambda item: item.name):
        if file.name.endswith(".json"):
            result.update(json.loads(file.read_text(encoding="utf-8"))["$defs"])
    return result


@cache
def validator(name: str = "Pack") -> jsonschema_rs.Draft202012Validator:
    """A compiled validator of one definition."""
    return jsonschema_rs.Draft202012Validator(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": f"#/$defs/{name}",
            "$defs": definitions(),
        }
    )


def resolve(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its own `$ref` resolved; its other keywords override the target's."""
    reference = schema.get("$ref")
    if reference is None:
        return dict(schema)
    target = definitions()[str(reference).rsplit("/", 1)[-1]]
    return {**resolve(target), **{key: item for key, item in schema.items() if key != "$ref"}}


def definition_at(pointer: Pointer, tree: Any) -> dict[str, Any]:
    """The definition of a place in a pack; {} where the format allows any value."""
    schema = resolve({"$ref": "#/$defs/Pack"})
    for key in pointer:
        tree = _child(tree, key)
        schema = shape(_member(schema, key), tree)
    return schema


def shape(schema: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The schema of this value, where a place allows several alternatives."""
    whole = resolve(schema)
    if "oneOf" in whole:
        return _alternative(whole, value)
    return _of_kind(whole, value) if "allOf" in whole and isinstance(value, dict) else whole


def _child(tree: Any, key: str | int) -> Any:
    try:
        return tree[key]
    except (KeyError, IndexError, TypeError):
        return None


def _member(schema: Mapping[str, Any], key: str | int) -> Mapping[str, Any]:
    inner: Any = schema.get("items", {})
    if not isinstance(key, int):
        inner = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
    return inner if isinstance(inner, Mapping) else {}


def _alternative(schema: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The alternative that a value is probably meant to follow: the object that shares most
    keys."""
    shapes = [resolve(item) for item in schema["oneOf"]]
    if not isinstance(value, dict):
        return dict(schema)
    return max(
        (item for item in shapes if item.get("type") == "object"),
        key=lambda item: len(set(item.get("properties", {})) & set(value)),
        default=dict(schema),
    )


def kinds(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Kind → the schema that it adds to an object, by the value of `kind`. Used for steps."""
    return {
        item["if"]["properties"]["kind"]["const"]: resolve(item["then"])
        for item in schema.get("allOf", ())
    }


def _of_kind(schema: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    return with_kind(schema, as_str(value.get("kind")))


def with_kind(schema: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The schema of an object together with that of its kind; unchanged for an unknown kind."""
    own = kinds(schema).get(kind, {})
    return {
        **schema,
        "properties": {**schema["properties"], **own.get("properties", {})},
        "required": [*schema.get("required", ()), *own.get("required", ())],
    }
