"""Definitions in schema files: made with a step, copied with it, gone with it."""

from __future__ import annotations

from collections import Counter
from posixpath import relpath
from typing import Any

from workflows.core.dialects.steps_registry.edits.common import dump, set_at, step_of
from workflows.core.dialects.steps_registry.edits.enum_shape import property_names, with_enum
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    definition,
    intent_keys,
    reference_targets,
    schema_files,
    schema_path,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import EditRefused

DRAFT = "http://json-schema.org/draft-07/schema#"


def make_definition(
    source: RegistrySource,
    id: str,
    *,
    before: str | None = None,
    onto: SchemaLocation | None = None,
) -> RegistrySource:
    """Write an answer schema for this step and refer to it.

    It goes into the file that related steps use; a pack without schema files gets
    `schemas/<agent>.schema.json`. A registry on its own that refers to missing files gets
    the reference only. `onto` extends an existing definition instead of a minimal one.
    """
    file = _file_for(source, step_of(source, id))
    path = schema_path(source, file)
    if path in source.files and source.json(path) is None:
        return source
    name = _free_name(source, path, id)
    if path in source.files or _keeps_schemas(source):
        body = (
            minimal_schema(source, id)
            if onto is None
            else {"allOf": [{"$ref": _reference(path, onto)}]}
        )
        source = _write(source, path, (*_container(source, file), name), body)
    reference: Any = {"file": file, "schema": name}
    pointer = ("steps", id, "outputSchemaRef")
    if "outputSchemaRef" in step_of(source, id).value:
        return source.registry_edit(lambda text: text.set(pointer, reference))
    return source.registry_edit(lambda text: text.insert(pointer, reference, before=before))


def _write(
    source: RegistrySource, path: str, pointer: tuple[str, ...], body: dict[str, Any]
) -> RegistrySource:
    if path not in source.files:
        nested: Any = body
        for key in reversed(pointer):
            nested = {key: nested}
        return source.write({path: dump({"$schema": DRAFT, **nested})})
    return source.edit(path, lambda text: set_at(text, pointer, body))


def _reference(path: str, onto: SchemaLocation) -> str:
    inner = "#/" + "/".join(onto.pointer)
    return inner if onto.path == path else relpath(onto.path, path.rpartition("/")[0]) + inner


def _keeps_schemas(source: RegistrySource) -> bool:
    """True if a new schema file completes the pack, and does not hide that others are missing."""
    referred = any(step.reference for step in source.steps.values())
    return len(source.files) > 1 or not referred


def _file_for(source: RegistrySource, step: Step) -> str:
    """The schema file of steps of the same flow, else the commonest, else the agent's own."""
    if step.reference is not None:
        return step.reference[0]
    files = {other.reference[0] for other in source.steps.values() if other.reference}
    if len(files) == 1:
        return files.pop()
    flow = step.id.split(".")[1:2]
    near: Counter[str] = Counter()
    all_: Counter[str] = Counter()
    for other in source.steps.values():
        if (reference := other.reference) is not None:
            all_[reference[0]] += 1
            near[reference[0]] += other.id.split(".")[1:2] == flow
    if flow and near and near.most_common(1)[0][1]:
        return near.most_common(1)[0][0]
    if all_:
        return all_.most_common(1)[0][0]
    return f"{source.agent_id}.schema.json"


def _container(source: RegistrySource, file: str) -> tuple[str, ...]:
    """The location of definitions in this file, as in the steps that already use it."""
    for step in reversed(source.steps.values()):
        reference = step.reference
        if reference is not None and reference[0] == file:
            try:
                location = definition(source, step)
            except SchemaProblem:
                continue
            if location is not None:
                return location.pointer[:-1]
    return ()


def _free_name(source: RegistrySource, path: str, id: str) -> str:
    text = source.json(path)
    taken: set[str] = set()
    for holder in ((), ("definitions",), ("$defs",)):
        value = text.get(holder) if text is not None and text.has(holder) else None
        taken |= set(value) if isinstance(value, dict) else set()
    name, number = id, 2
    while name in taken:
        name, number = f"{id}-{number}", number + 1
    return name


def minimal_schema(source: RegistrySource, id: str) -> dict[str, Any]:
    """The smallest schema that has this step's intents at the gate's pointer."""
    step = step_of(source, id)
    keys = intent_keys(step)
    names = (property_names(keys) if keys else None) or ("next_action", "action")
    return with_enum({"type": "object"}, names, list(step.allowed))


def first_schema(source: RegistrySource, path: str) -> str:
    """The text of a missing schema file: a definition for every step that refers to it."""
    body: dict[str, Any] = {"$schema": DRAFT}
    for step in source.steps.values():
        if step.reference is None or schema_path(source, step.reference[0]) != path:
            continue
        *keys, last = place_of_name(step.reference[1]) or (step.id,)
        node = body
        for key in keys:
            node = node.setdefault(key, {})
        node.setdefault(last, minimal_schema(source, step.id))
    return dump(body).decode()


def place_of_name(name: str) -> tuple[str, ...]:
    """The pointer of a definition with this name: the name itself if it is a pointer, else a
    top-level key. () for an invalid name."""
    if name.startswith("##") or "//" in name:
        return ()
    return tuple(part for part in name.lstrip("#").split("/") if part)


def add_definition(source: RegistrySource, step: Step) -> RegistrySource:
    """Add the definition that the step refers to and that is missing.

    Raises EditRefused if the file cannot be read or the reference is invalid.
    """
    file, name = step.reference or ("", "")
    path = schema_path(source, file)
    if step.reference is None or (path in source.files and source.json(path) is None):
        raise EditRefused(f"The schema file of {step.id!r} cannot be read.", where=step.element)
    if path not in source.files:
        return source.write({path: first_schema(source, path).encode()})
    keys = place_of_name(name)
    if not keys:
        raise EditRefused(f"{name!r} cannot be the name of a schema.", where=step.element)
    plain = len(keys) == 1 and "/" not in name
    pointer = (*_container(source, file), *keys) if plain else keys
    return source.edit(path, lambda text: set_at(text, pointer, minimal_schema(source, step.id)))


def named_definition(source: RegistrySource, step: Step) -> SchemaLocation | None:
    """The step's definition if it has the step's name, else None."""
    try:
        location = definition(source, step)
    except SchemaProblem:
        return None
    return location if location is not None and location.pointer[-1:] == (step.id,) else None


def users_of(source: RegistrySource, location: SchemaLocation) -> list[str]:
    """The steps whose answer schema is this definition."""
    ids = []
    last = location.pointer[-1]
    for step in source.steps.values():
        reference = step.reference
        if reference is None or not reference[1].endswith(last):
            continue
        try:
            if definition(source, step) == location:
                ids.append(step.id)
        except SchemaProblem:
            continue
    return ids


def remove_definition(source: RegistrySource, step: Step) -> RegistrySource:
    """Remove the definition of a removed step, unless something else uses it."""
    try:
        location = definition(source, step)
    except SchemaProblem:
        return source
    if location is None or not location.pointer or users_of(source, location) != [step.id]:
        return source
    if any(
        target.under(location) or location.under(target)
        for path in schema_files(source)
        for target in reference_targets(source, path)
    ):
        return source
    return source.edit(location.path, lambda text: text.delete(location.pointer))
