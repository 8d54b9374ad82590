"""Edits of form fields. Most set one value in one file; some change several places."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.edits.common import set_at, step_of, transition_of
from workflows.core.dialects.steps_registry.edits.intents import align_enum
from workflows.core.dialects.steps_registry.edits.locations import place_of, split_element
from workflows.core.dialects.steps_registry.edits.schema import add_definition, make_definition
from workflows.core.dialects.steps_registry.edits.transitions import relabel, retarget
from workflows.core.dialects.steps_registry.format.prompt_paths import (
    existing_prompt,
    prompt_path,
    prompt_text,
    split_front_matter,
)
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    definition,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import EditRefused, Relabel, Retarget, SetField, UnsetField
from workflows.core.text.json.document import JsonText, Pointer, pointer_of

INTENTS = "/structuredGate/allowedIntents"


def set_field(source: RegistrySource, edit: SetField) -> RegistrySource:
    """Set one value of a form."""
    kind, key = split_element(edit.element)
    field = edit.field
    if kind == "state" and field == "/prompt/text":
        return _write_prompt(source, key, _text(edit.value))
    if kind == "state" and (field == "/schema" or field.startswith("/schema/")):
        return _write_schema(source, key, field.removeprefix("/schema"), edit.value)
    if kind == "transition" and field in ("/intent", "/target", "/value"):
        return _move_transition(source, key, field, _text(edit.value))
    if kind == "file" and field == "/text":
        place_of(source, edit.element)
        return source.write({key: _text(edit.value).encode()})
    path, base = place_of(source, edit.element)
    if not field.startswith("/") and not (field == "" and base):
        raise EditRefused(f"{edit.element} has no field {field!r}.", where=edit.element)
    pointer: Pointer = (*base, *_pointer(field, kind))
    source = _edited(source, path, pointer, lambda text: set_at(text, pointer, edit.value))
    if kind == "state" and field.startswith(INTENTS):
        source = align_enum(source, key)
    return source


def unset_field(source: RegistrySource, edit: UnsetField) -> RegistrySource:
    """Remove one value, so that the format's default applies."""
    kind, key = split_element(edit.element)
    if kind == "state" and edit.field == "/prompt/text":
        path = prompt_path(source, step_of(source, key))
        if path not in source.files:
            raise EditRefused("This step has no prompt file.", where=edit.element)
        return source.write({path: None})
    if kind == "state" and edit.field.startswith("/schema/"):
        location = _definition(source, key)
        target = (*location.pointer, *pointer_of(edit.field.removeprefix("/schema")))
        return _edited(source, location.path, target, lambda text: text.delete(target))
    path, base = place_of(source, edit.element)
    pointer = (*base, *_pointer(edit.field, kind))
    if not edit.field.startswith("/"):
        raise EditRefused(f"{edit.element} has no field {edit.field!r}.", where=edit.element)
    text = source.json(path)
    if text is None or not text.has(pointer):
        raise EditRefused(f"{edit.field} is not set here.", where=edit.element)
    source = _edited(source, path, pointer, lambda text: text.delete(pointer))
    if kind == "state" and edit.field.startswith(INTENTS):
        source = align_enum(source, key)
    return source


def _pointer(field: str, kind: str) -> Pointer:
    """Entries and the entry step are plain strings: their one field is the value itself."""
    if kind == "entry" and field == "/step":
        return ()
    return pointer_of(field)


def _edited(source: RegistrySource, path: str, pointer: Pointer, change: Any) -> RegistrySource:
    try:
        return source.edit(path, change)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        where = "/".join(str(part) for part in pointer)
        raise EditRefused(f"{where!r} cannot be set in {path}.", where=where) from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise EditRefused("The value of this field must be a string.")
    return value


def _move_transition(source: RegistrySource, key: str, field: str, value: str) -> RegistrySource:
    transition = transition_of(source, key)
    if field == "/target":
        return retarget(source, Retarget(transition=key, target=value))
    if field == "/value":
        return relabel(source, Relabel(transition=key, label=f"{transition.intent}: {value}"))
    label = value if transition.value is None else f"{value}: {transition.value}"
    return relabel(source, Relabel(transition=key, label=label))


def _write_prompt(source: RegistrySource, id: str, text: str) -> RegistrySource:
    """Write the prompt's text. Existing front matter stays unchanged."""
    step = step_of(source, id)
    path = existing_prompt(source, step) or prompt_path(source, step)
    if not step.c2 or not step.c3:
        raise EditRefused(f"{id!r} has no c2 or c3, so its prompt has no path.", where=step.element)
    head = split_front_matter(prompt_text(source, path))[0] if path in source.files else ""
    return source.write({path: (head + text).encode()})


def _definition(source: RegistrySource, id: str) -> SchemaLocation:
    try:
        location = definition(source, step_of(source, id))
    except SchemaProblem as problem:
        raise EditRefused(f"The schema of {id!r} cannot be edited: {problem}.") from problem
    if location is None:
        raise EditRefused(f"{id!r} has no answer schema yet.")
    return location


def _is_missing(source: RegistrySource, step: Step) -> bool:
    try:
        definition(source, step)
    except SchemaProblem:
        return True
    return False


def _write_schema(source: RegistrySource, id: str, field: str, value: Any) -> RegistrySource:
    step = step_of(source, id)
    if step.value.get("outputSchemaRef") is None:
        source = make_definition(source, id)
    elif step.reference is not None and _is_missing(source, step):
        source = add_definition(source, step)
    location = _definition(source, id)
    pointer = (*location.pointer, *(pointer_of(field) if field else ()))

    def change(text: JsonText) -> JsonText:
        return set_at(text, pointer, value)

    return _edited(source, location.path, pointer, change)
