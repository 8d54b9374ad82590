"""Answer schemas with every `$ref` resolved, as sent to a model (section 5.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    definition,
    follow,
    target_of,
    value_at,
)
from workflows.core.dialects.steps_registry.schemas.resolved_size import (
    MAX_RESOLVED,
    endless,
    resolved_size,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.limits import VALUE_DEPTH


def resolve(source: RegistrySource, location: SchemaLocation, *, strict: bool = True) -> Any:
    """The schema with every `$ref` put in place and `allOf` merged.

    `strict` closes objects (`additionalProperties: false`) where the author left it open, as the
    run does it; without it the text is fit to be written back into a file.
    Raises SchemaProblem for a missing or endless reference, and for a schema that becomes too
    large.
    """
    if resolved_size(source, location) > MAX_RESOLVED:
        raise SchemaProblem(
            f"The schema at {'/'.join(location.pointer)} is larger than {MAX_RESOLVED:,} characters"
            " once its references are replaced"
        )
    return _resolve(source, location, value_at(source, location), strict, ())


def _resolve(
    source: RegistrySource,
    location: SchemaLocation,
    node: Any,
    strict: bool,
    open_: tuple[SchemaLocation, ...],
) -> Any:
    """`node` is the value at the location."""
    if isinstance(node, dict) and isinstance(node.get("$ref"), str):
        location = follow(source, location)
        node = value_at(source, location)
    if location in open_ or len(open_) > VALUE_DEPTH:
        raise endless(location)
    inner = (*open_, location)

    def part(item: Any, *keys: str) -> Any:
        if not isinstance(item, (dict, list)) and len(inner) <= VALUE_DEPTH:
            return item
        return _resolve(source, location.child(*keys), item, strict, inner)

    if isinstance(node, list):
        return [part(item, str(index)) for index, item in enumerate(node)]
    if not isinstance(node, dict):
        return node
    own = {key: part(item, key) for key, item in node.items() if key != "allOf"}
    members = node.get("allOf")
    if isinstance(members, list):
        parts = [part(item, "allOf", str(index)) for index, item in enumerate(members)]
        own = _merged([*parts, own])
    if strict and own.get("type") == "object":
        own.setdefault("additionalProperties", False)
    return own


def _merged(parts: list[Any]) -> dict[str, Any]:
    """`allOf` members first, the parent last: required united, properties overridden by later."""
    merged: dict[str, Any] = {}
    for part in (part for part in parts if isinstance(part, dict)):
        for key, value in part.items():
            held = merged.get(key)
            if key == "required" and isinstance(held, list) and isinstance(value, list):
                merged[key] = [*held, *(name for name in value if name not in held)]
            elif key == "properties" and isinstance(held, dict) and isinstance(value, dict):
                merged[key] = {**held, **value}
            else:
                merged.setdefault(key, value)
    return merged


def step_schema(source: RegistrySource, step: Step) -> dict[str, Any] | None:
    """The resolved schema of a step's answer; None without a schema."""
    location = definition(source, step)
    schema = resolve(source, location) if location is not None else None
    return schema if isinstance(schema, dict) else None


def repeated_references(source: RegistrySource, location: SchemaLocation) -> Iterator[str]:
    """References that occur twice in one schema, which Climpt mistakes for a cycle.

    Members of an `allOf` are checked separately: shipped agents whose members repeat references of
    the schema itself do load.
    """
    repeats: set[str] = set()

    def visit(place: SchemaLocation, depth: int, visited: set[SchemaLocation]) -> Iterator[str]:
        node = value_at(source, place)
        if depth > VALUE_DEPTH:
            return
        if isinstance(node, list):
            for index in range(len(node)):
                yield from visit(place.child(str(index)), depth + 1, visited)
        elif isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str):
                target = target_of(source, place, reference)
                if target in visited:
                    if reference not in repeats:
                        repeats.add(reference)
                        yield reference
                    return
                visited.add(target)
                yield from visit(target, depth + 1, visited)
                return
            for key in node:
                inner = set(visited) if key == "allOf" else visited
                yield from visit(place.child(key), depth + 1, inner)

    yield from visit(location, 0, set())
