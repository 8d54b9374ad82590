"""Schemas that Google refuses, from its reference of `responseJsonSchema`: unknown keywords are
ignored, a reference has a target and no other keywords, and no loop consists of required values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.model_server.schema_references import target

TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}


def schema_problems(schema: Any, where: str) -> Iterator[str]:
    """The problems of a schema; None has none."""
    if schema is None:
        return
    yield from _problems(schema, schema, where)
    if any(_returns(one, schema, ()) for one in _every(schema)):
        yield f"{where}: ref loops are only supported if they include optional values"


def _problems(schema: Any, root: Any, where: str) -> Iterator[str]:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        yield f"{where}: a schema must be an object or a boolean"
        return
    kinds = schema.get("type", [])
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind not in TYPES:
            yield f"{where}: unknown type {kind!r}"
    reference = schema.get("$ref")
    if reference is not None:
        if target(root, reference) is None:
            yield f"{where}: $ref {reference!r} cannot be resolved"
        if any(not word.startswith("$") for word in schema):
            yield f"{where}: if $ref is set, no other fields may be set"
    for inner, name, _ in _inside(schema):
        yield from _problems(inner, root, f"{where}.{name}")


def _inside(schema: Mapping[str, Any]) -> Iterator[tuple[Any, str, bool]]:
    """Subschemas, their places, and True for those that every value has."""
    for name, inner in (schema.get("properties") or {}).items():
        yield inner, f"properties.{name}", name in (schema.get("required") or ())
    for name, inner in (schema.get("$defs") or {}).items():
        yield inner, f"$defs.{name}", False
    if "items" in schema:
        yield schema["items"], "items", bool(schema.get("minItems"))
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield schema["additionalProperties"], "additionalProperties", False
    for word in ("anyOf", "oneOf"):
        members = schema.get(word) or ()
        nullable = any(isinstance(one, Mapping) and one.get("type") == "null" for one in members)
        for number, inner in enumerate(members):
            yield inner, f"{word}.{number}", not nullable
    for number, inner in enumerate(schema.get("prefixItems") or ()):
        yield inner, f"prefixItems.{number}", True


def _every(schema: Any) -> Iterator[Any]:
    yield schema
    if isinstance(schema, Mapping):
        for inner, _, _ in _inside(schema):
            yield from _every(inner)


def _returns(schema: Any, root: Any, path: tuple[int, ...]) -> bool:
    """Return True if required values lead back to a schema on the path."""
    if not isinstance(schema, Mapping):
        return False
    if id(schema) in path:
        return True
    path = (*path, id(schema))
    onward = [inner for inner, _, always in _inside(schema) if always]
    if "$ref" in schema:
        onward.append(target(root, schema["$ref"]))
    return any(_returns(inner, root, path) for inner in onward)
