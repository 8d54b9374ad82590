"""Schemas that Anthropic refuses in structured outputs and strict tools, from "JSON Schema
limitations" and "Schema complexity limits" in its documentation of structured outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.model_server.schema_references import unresolved

SUPPORTED = {
    *("type", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "definitions"),
    *("title", "description", "default", "required", "properties", "additionalProperties"),
    *("items", "minItems", "format", "pattern", "$schema"),
}
FORMATS = {
    *("date-time", "time", "date", "duration", "email", "hostname"),
    *("uri", "ipv4", "ipv6", "uuid"),
}
TYPED = {"type", "enum", "const", "anyOf", "allOf", "$ref"}
LIMITS = {"optional": 24, "union": 16}


def strict_problems(schemas: Mapping[str, Any]) -> Iterator[str]:
    """The problems of the strict schemas of one request, by their place in it."""
    counts = dict.fromkeys(LIMITS, 0)
    for where, schema in schemas.items():
        if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
            yield f"{where}: the top-level schema must describe an object"
        yield from _problems(schema, where)
        for reference in unresolved(schema):
            yield f"{where}: cannot resolve {reference!r}"
        if _is_recursive(schema):
            yield f"{where}: Recursive schemas are not supported"
        for kind in LIMITS:
            counts[kind] += _count(schema, kind)
    for kind, most in LIMITS.items():
        if counts[kind] > most:
            yield f"Schemas contain too many {kind} parameters ({counts[kind]}); {most} at most."


def _problems(schema: Any, where: str) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        yield f"{where}: a schema must be an object"
        return
    for word in schema:
        if word not in SUPPORTED:
            yield f"{where}: property '{word}' is not supported"
    if not TYPED & schema.keys():
        yield f"{where}: Schema must have a type"
    if schema.get("type") == "object" or "properties" in schema:
        if schema.get("additionalProperties") is not False:
            yield (
                f"{where}: For 'object' type, 'additionalProperties' must be explicitly set to "
                "false"
            )
        for name in schema.get("required") or ():
            if name not in (schema.get("properties") or {}):
                yield f"{where}: required property {name!r} is not defined"
    if schema.get("minItems", 0) not in (0, 1):
        yield f"{where}: For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    if schema.get("format", "date") not in FORMATS:
        yield f"{where}: string format {schema['format']!r} is not supported"
    for value in (*(schema.get("enum") or ()), schema.get("const")):
        if isinstance(value, Mapping | list):
            yield f"{where}: enum values must be strings, numbers, booleans or null"
    if not str(schema.get("$ref", "#")).startswith("#"):
        yield f"{where}: External $ref is not supported"
    if any("$ref" in one for one in schema.get("allOf") or ()):
        yield f"{where}: allOf with $ref is not supported"
    for inner, name in _inside(schema):
        yield from _problems(inner, f"{where}.{name}")


def _inside(schema: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    for word in ("properties", "$defs", "definitions"):
        for name, inner in (schema.get(word) or {}).items():
            yield inner, f"{word}.{name}"
    if "items" in schema:
        yield schema["items"], "items"
    for word in ("anyOf", "allOf"):
        for number, inner in enumerate(schema.get(word) or ()):
            yield inner, f"{word}.{number}"


def _count(schema: Any, kind: str) -> int:
    """Parameters of this kind, without those of definitions."""
    if not isinstance(schema, Mapping):
        return 0
    count = 0
    for name, inner in (schema.get("properties") or {}).items():
        if kind == "optional":
            count += name not in (schema.get("required") or ())
        elif isinstance(inner, Mapping):
            count += "anyOf" in inner or isinstance(inner.get("type"), list)
    inside = (inner for inner, name in _inside(schema) if not name.startswith(("$", "definit")))
    return count + sum(_count(inner, kind) for inner in inside)


def _is_recursive(schema: Any) -> bool:
    definitions = {
        f"#/{word}/{name}": inner
        for word in ("$defs", "definitions")
        for name, inner in (schema.get(word) or {}).items()
    }
    definitions["#"] = {word: schema[word] for word in schema if word != "$defs"}

    def leads_back(name: str, path: tuple[str, ...]) -> bool:
        if name in path:
            return True
        inner = definitions.get(name)
        return any(leads_back(one, (*path, name)) for one in _references(inner))

    return any(leads_back(name, ()) for name in definitions)


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for inner, _ in _inside(schema):
            yield from _references(inner)
