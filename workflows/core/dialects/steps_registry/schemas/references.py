"""Answer schemas: the definition of a step, and the location of its enum of intents.

Specs of the format, section 5.5. Lookups follow `$ref` and `allOf` to the location of the bytes
that apply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from posixpath import dirname, join, normpath
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step, text_of
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.limits import VALUE_DEPTH
from workflows.core.text.json.document import JsonText

REFERENCE = re.compile(rb'"\$ref"\s*:\s*"((?:[^"\\]|\\.)*)"')


class SchemaProblem(Exception):
    """A schema that cannot be found or resolved. The message is the reason."""


class MissingFile(SchemaProblem):
    """A schema file that is missing or not JSON."""


@dataclass(frozen=True, slots=True)
class SchemaLocation:
    """The location of a value in a schema file."""

    path: str
    pointer: tuple[str, ...]

    def under(self, other: SchemaLocation) -> bool:
        return self.path == other.path and self.pointer[: len(other.pointer)] == other.pointer

    def child(self, *keys: str) -> SchemaLocation:
        return SchemaLocation(self.path, (*self.pointer, *keys))


def schemas_folder(source: RegistrySource) -> str:
    """The folder `schemas` next to the registry. In generation S, `schemasBase` may name another
    folder."""
    stated = text_of(source.value.get("schemasBase"))
    if stated and source.generation == "S":
        folder = normpath(join(source.repository, stated))
        if not folder.startswith(("..", "/")):
            return folder
    return source.beside("schemas")


def schema_path(source: RegistrySource, file: str) -> str:
    paths: dict[str, str] = source.kept.setdefault("schema_paths", {})
    if file not in paths:
        paths[file] = normpath(join(schemas_folder(source), file))
    return paths[file]


def definition(source: RegistrySource, step: Step) -> SchemaLocation | None:
    """The location of the step's definition; None without a reference.

    Raises SchemaProblem if the file or the name is missing.
    """
    reference = step.reference
    if reference is None:
        return None
    definitions: dict[tuple[str, str], SchemaLocation] = source.kept.setdefault("definitions", {})
    location = definitions.get(reference)
    if location is None:
        file, name = reference
        path = schema_path(source, file)
        text = source.json(path)
        if text is None:
            raise MissingFile(
                f"{file} is not JSON" if path in source.files else f"no such file: {path}"
            )
        location = definitions[reference] = SchemaLocation(path, _find(text, file, name))
    return location


def own_schema(source: RegistrySource, step: Step) -> Any:
    """The step's definition as written; None without a reference. Cached on the source.

    Raises SchemaProblem if the file or the name is missing.
    """
    if step.reference is None:
        return None
    schemas: dict[tuple[str, str], Any] = source.kept.setdefault("own_schemas", {})
    if step.reference not in schemas:
        schemas[step.reference] = _own_schema(source, step, *step.reference)
    return schemas[step.reference]


def _own_schema(source: RegistrySource, step: Step, file: str, name: str) -> Any:
    """Like `definition`, but faster for a plain name."""
    if "/" not in name and "#" not in name:
        for holder in _holders(source, file):
            if name in holder:
                return holder[name]
    location = definition(source, step)
    return None if location is None else value_at(source, location)


def _holders(source: RegistrySource, file: str) -> tuple[dict[str, Any], ...]:
    """The maps in which a schema file may have named definitions. Cached on the source."""
    by_file: dict[str, tuple[dict[str, Any], ...]] = source.kept.setdefault("holders", {})
    if file not in by_file:
        text = source.json(schema_path(source, file))
        top = text.value if text is not None and isinstance(text.value, dict) else {}
        candidates: tuple[Any, ...] = (top.get("definitions"), top.get("$defs"), top)
        by_file[file] = tuple(holder for holder in candidates if isinstance(holder, dict))
    return by_file[file]


def definition_names(source: RegistrySource, file: str) -> tuple[str, ...]:
    """The names of a schema file's definitions."""
    return tuple(name for holder in _holders(source, file) for name in holder)


def _find(text: JsonText, file: str, name: str) -> tuple[str, ...]:
    if name.startswith("##") or "//" in name:
        raise SchemaProblem(f'Malformed schema identifier "{name}"')
    if name.startswith(("#", "/")):
        pointer = tuple(part for part in name.lstrip("#").split("/") if part)
        if _has(text.value, pointer):
            return pointer
    else:
        for pointer in (("definitions", name), ("$defs", name), (name,)):
            if _has(text.value, pointer):
                return pointer
    raise SchemaProblem(f'No schema pointer "{name}" found in {file}')


def _at(value: Any, pointer: tuple[str, ...]) -> Any:
    for key in pointer:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _has(value: Any, pointer: tuple[str, ...]) -> bool:
    holder = _at(value, pointer[:-1])
    return isinstance(holder, dict) and bool(pointer) and pointer[-1] in holder


def value_at(source: RegistrySource, location: SchemaLocation) -> Any:
    text = source.json(location.path)
    return None if text is None else _at(text.value, location.pointer)


# -- walking -------------------------------------------------------------------------------------


def follow(source: RegistrySource, location: SchemaLocation) -> SchemaLocation:
    """The location at the end of a chain of `$ref`. Raises SchemaProblem for a missing target."""
    for _ in range(VALUE_DEPTH):
        node = value_at(source, location)
        reference = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(reference, str):
            return location
        location = target_of(source, location, reference)
    raise SchemaProblem(f"The $ref at {'/'.join(location.pointer)} is part of a cycle")


def target_of(source: RegistrySource, location: SchemaLocation, reference: str) -> SchemaLocation:
    file, _, inner = reference.partition("#")
    path = normpath(join(dirname(location.path), file)) if file else location.path
    pointer = tuple(part for part in inner.split("/") if part)
    target = SchemaLocation(path, pointer)
    if source.json(path) is None or (pointer and not _has(source.json(path).value, pointer)):  # type: ignore[union-attr]
        raise SchemaProblem(f"The $ref {reference!r} leads nowhere")
    return target


def _layers(
    source: RegistrySource, location: SchemaLocation, depth: int = 0
) -> Iterator[SchemaLocation]:
    """The objects of one schema: the schema itself, then its `allOf` members in reverse."""
    location = follow(source, location)
    yield location
    node = value_at(source, location)
    members = node.get("allOf") if isinstance(node, dict) else None
    if isinstance(members, list) and depth < VALUE_DEPTH:
        for index in reversed(range(len(members))):
            yield from _layers(source, location.child("allOf", str(index)), depth + 1)


def walk(
    source: RegistrySource, start: SchemaLocation, keys: tuple[str, ...]
) -> SchemaLocation | None:
    """Follow keys of the resolved schema, and return the location of the value in the author's
    files."""
    location = follow(source, start)
    rest = list(keys)
    while rest:
        key = rest.pop(0)
        path: tuple[str, ...] = (key,)
        if key in ("properties", "$defs", "definitions") and rest:
            path = (key, rest.pop(0))
        inner = next(
            (
                layer.child(*path)
                for layer in _layers(source, location)
                if _has(value_at(source, layer), path)
            ),
            None,
        )
        if inner is None:
            return None
        location = follow(source, inner)
    return location


def _plain(node: Any, keys: tuple[str, ...]) -> bool:
    """True if the keys lead to a value without any `$ref`."""
    for key in keys:
        if not isinstance(node, dict) or "$ref" in node or key not in node:
            return False
        node = node[key]
    return isinstance(node, dict) and "$ref" not in node


def intent_keys(step: Step) -> tuple[str, ...] | None:
    """`intentSchemaRef` as keys; None if it is missing or not an internal pointer."""
    pointer = (step.gate or {}).get("intentSchemaRef")
    return _keys_of(pointer) if isinstance(pointer, str) else None


@lru_cache(maxsize=256)
def _keys_of(pointer: str) -> tuple[str, ...] | None:
    if not pointer.startswith("#/"):
        return None
    return tuple(part for part in pointer[1:].split("/") if part)


def plain_enum(source: RegistrySource, step: Step) -> list[str] | None:
    """The step's enum of intents, if keys lead to it without `$ref`; None if that is unknown."""
    keys = intent_keys(step)
    try:
        node = own_schema(source, step)
    except SchemaProblem:
        return None
    if keys is None or not _plain(node, keys):
        return None
    values = _at(node, (*keys, "enum"))
    return [str(item) for item in values] if isinstance(values, list) else None


def enum_location(source: RegistrySource, step: Step) -> SchemaLocation | None:
    """The location of the step's enum of intents: the object that has `enum`.

    None if the step has no schema, or the pointer does not lead to an enum. Raises SchemaProblem
    for a missing file, name or `$ref`.
    """
    own = definition(source, step)
    keys = intent_keys(step)
    if own is None or keys is None:
        return None
    plain = _plain(value_at(source, own), keys)
    location = own.child(*keys) if plain else walk(source, own, keys)
    if location is not None and not isinstance(_at(value_at(source, location), ("enum",)), list):
        location = None
    return location


def enum_of(source: RegistrySource, location: SchemaLocation) -> tuple[str, ...]:
    values = _at(value_at(source, location), ("enum",))
    return tuple(str(item) for item in values) if isinstance(values, list) else ()


def reference_targets(source: RegistrySource, path: str) -> frozenset[SchemaLocation]:
    """The targets of every `$ref` in a schema file. Cached with the parsed text."""
    text = source.json(path)
    key = ("refs", path)
    held = source.memo.get(key)
    if held is not None and held[0] is text:
        targets: frozenset[SchemaLocation] = held[1]
        return targets
    locations = set()
    for match in REFERENCE.finditer(text.data) if text is not None else ():
        file, _, inner = match[1].decode("utf-8", "replace").partition("#")
        target = normpath(join(dirname(path), file)) if file else path
        locations.add(SchemaLocation(target, tuple(part for part in inner.split("/") if part)))
    source.memo[key] = (text, frozenset(locations))
    return frozenset(locations)


def references_below(source: RegistrySource, location: SchemaLocation) -> Iterator[SchemaLocation]:
    """The targets of each `$ref` inside a value. Broken references are skipped."""

    def visit(node: Any) -> Iterator[SchemaLocation]:
        if isinstance(node, dict):
            if isinstance(reference := node.get("$ref"), str):
                with suppress(SchemaProblem):
                    yield target_of(source, location, reference)
            for item in node.values():
                yield from visit(item)
        elif isinstance(node, list):
            for item in node:
                yield from visit(item)

    yield from visit(value_at(source, location))


def schema_files(source: RegistrySource) -> list[str]:
    prefix = f"{schemas_folder(source)}/"
    return [path for path in source.files if path.startswith(prefix) and path.endswith(".json")]
