"""Our schema of a pack (version 1.9 of the format), put together from schemas/*.json.

One text serves three readers: it decides whether a pack is well formed, it draws the inspector's
forms, and its `x-since` marks tell which version of the format a pack needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

from workflows.core.dialects.promptpack.parts import Pointer


@cache
def definitions() -> Mapping[str, Any]:
    """Every definition by name."""
    found: dict[str, Any] = {}
    for file in sorted(
        files(__package__).joinpath("schemas").iterdir(), key=lambda item: item.name
    ):
        if file.name.endswith(".json"):
            found.update(json.loads(file.read_text(encoding="utf-8"))["$defs"])
    return found


@cache
def validator(name: str = "Pack") -> jsonschema_rs.Draft202012Validator:
    """A compiled check for one definition."""
    return jsonschema_rs.Draft202012Validator(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": f"#/$defs/{name}",
            "$defs": definitions(),
        }
    )


def resolved(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its own `$ref` followed; what stands beside it wins."""
    reference = schema.get("$ref")
    if reference is None:
        return dict(schema)
    target = definitions()[str(reference).rsplit("/", 1)[-1]]
    return {**resolved(target), **{key: item for key, item in schema.items() if key != "$ref"}}


def at(pointer: Pointer, tree: Any) -> dict[str, Any]:
    """The definition that a place in a pack follows; {} where the format leaves it open."""
    schema = resolved({"$ref": "#/$defs/Pack"})
    for key in pointer:
        tree = _inside(tree, key)
        schema = _member(schema, key)
        if "oneOf" in schema:
            schema = _alternative(schema, tree)
    return schema


def _inside(tree: Any, key: str | int) -> Any:
    try:
        return tree[key]
    except (KeyError, IndexError, TypeError):
        return None


def _member(schema: Mapping[str, Any], key: str | int) -> dict[str, Any]:
    if isinstance(key, int):
        return resolved(schema.get("items", {}))
    inner = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
    return resolved(inner) if isinstance(inner, Mapping) else {}


def _alternative(schema: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The shape among several that a value is meant to have: the object that shares most keys."""
    shapes = [resolved(item) for item in schema["oneOf"]]
    if not isinstance(value, dict):
        return dict(schema)
    return max(
        (shape for shape in shapes if shape.get("type") == "object"),
        key=lambda shape: len(set(shape.get("properties", {})) & set(value)),
        default=dict(schema),
    )


def needed(tree: Any) -> tuple[str, Pointer]:
    """The oldest version of the format that knows every field this pack has, and the field that
    asks for it. ("1.0", ()) for a pack without anything newer."""
    newest: tuple[str, Pointer] = ("1.0", ())
    for since, pointer in _since(resolved({"$ref": "#/$defs/Pack"}), tree, ()):
        if version_key(since) > version_key(newest[0]):
            newest = (since, pointer)
    return newest


def version_key(version: str) -> tuple[int, ...]:
    """Versions in order: "1.10" after "1.9"."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _since(
    schema: Mapping[str, Any], value: Any, pointer: Pointer
) -> Iterator[tuple[str, Pointer]]:
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        for key, item in value.items():
            inner = properties.get(key, rest)
            if isinstance(inner, Mapping):
                plan = _plan(inner)
                if plan is None:
                    continue
                if "x-since" in plan:
                    yield plan["x-since"], (*pointer, key)
                yield from _since(plan, item, (*pointer, key))
    elif isinstance(value, list) and "items" in schema:
        inner = _plan(schema["items"])
        if inner is not None:
            for index, item in enumerate(value):
                yield from _since(inner, item, (*pointer, index))


_PLANS: dict[int, dict[str, Any] | None] = {}
"""By identity: the definitions live as long as the process, and their parts are not hashable."""


def _plan(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """A schema with its reference followed; None where nothing in it is newer than 1.0."""
    if id(schema) not in _PLANS:
        plan = resolved(schema)
        _PLANS[id(schema)] = plan if _has_since(plan, frozenset()) else None
    return _PLANS[id(schema)]


def _has_since(schema: Any, seen: frozenset[str]) -> bool:
    if isinstance(schema, Mapping):
        if "x-since" in schema:
            return True
        reference = schema.get("$ref")
        if isinstance(reference, str):
            if reference in seen:
                return False
            target = definitions()[reference.rsplit("/", 1)[-1]]
            return _has_since(target, seen | {reference})
        return any(_has_since(item, seen) for item in schema.values())
    return isinstance(schema, list) and any(_has_since(item, seen) for item in schema)
