"""Edits of validators, failure patterns, validation steps, entries and files."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.edits.common import change_at, set_at, step_of
from workflows.core.dialects.steps_registry.edits.entries import set_entry
from workflows.core.dialects.steps_registry.edits.files import remove_file, write_file
from workflows.core.dialects.steps_registry.edits.locations import TABLES, place_of, split_element
from workflows.core.dialects.steps_registry.format.validators import conditions_of
from workflows.core.dialects.steps_registry.schemas.references import schemas_folder
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import (
    AddObject,
    EditRefused,
    RemoveFile,
    RemoveObject,
    RenameObject,
    SetEntry,
    WriteFile,
)
from workflows.core.text.json.document import JsonText, Pointer
from workflows.core.text.tolerant import as_str


def add_object(source: RegistrySource, edit: AddObject) -> RegistrySource:
    """Add a validator, failure pattern, validation step, entry or file."""
    if edit.kind == "file":
        return _add_file(source, edit)
    if edit.kind == "entry":
        target = edit.value if isinstance(edit.value, str) else source.entry or ""
        return set_entry(source, SetEntry(id=step_of(source, target).id, key=edit.key))
    table = TABLES.get(edit.kind)
    if table is None:
        raise EditRefused(f"{edit.kind!r} cannot be added here.", where=edit.kind)
    if not edit.key.strip():
        raise EditRefused("Enter a name.", where=edit.kind)
    if edit.key in source.table(table):
        raise EditRefused(f"The {edit.kind} {edit.key!r} exists already.", where=edit.kind)
    value = edit.value if isinstance(edit.value, dict) else _default(source, edit.kind, edit.key)

    def change(text: JsonText) -> JsonText:
        if not text.has((table,)) and text.has(("steps",)):
            return text.insert((table,), {edit.key: value}, before="steps")
        return set_at(text, (table, edit.key), value)

    return source.registry_edit(change)


def _add_file(source: RegistrySource, edit: AddObject) -> RegistrySource:
    if edit.key in source.files:
        raise EditRefused(f"The file {edit.key!r} exists already.", where=edit.key)
    text = as_str(edit.value)
    return write_file(source, WriteFile(path=edit.key, text=text))


def _default(source: RegistrySource, kind: str, key: str) -> dict[str, Any]:
    patterns = list(source.table("failurePatterns"))
    validators = list(source.table("validators"))
    if kind == "validator":
        return {
            "type": "command",
            "command": "git status --porcelain",
            "successWhen": "empty",
            "failurePattern": patterns[0] if patterns else "failed",
            "extractParams": {"changedFiles": "parseChangedFiles"},
        }
    if kind == "failurePattern":
        return {"description": key, "edition": "failed", "adaptation": key, "params": []}
    step = source.steps.get(key)
    closures = [step for step in source.steps.values() if step.kind == "closure"]
    base = step or (closures[0] if closures else None)
    return {
        "stepId": key,
        "name": f"Checks before {key}",
        "c2": "retry",
        "c3": base.c3 if base else "step",
        "validationConditions": [{"validator": name} for name in validators[:1]],
        "onFailure": {"action": "retry", "maxAttempts": 3},
    }


def remove_object(source: RegistrySource, edit: RemoveObject) -> RegistrySource:
    """Remove an element. References to it stay and become findings."""
    kind, key = split_element(edit.element)
    if kind == "file":
        return remove_file(source, RemoveFile(path=key))
    if kind not in TABLES:
        raise EditRefused(f"{edit.element!r} cannot be removed.", where=edit.element)
    path, pointer = place_of(source, edit.element)
    return source.edit(path, lambda text: text.delete(pointer))


def rename_object(source: RegistrySource, edit: RenameObject) -> RegistrySource:
    """Rename an element and the references to it."""
    kind, key = split_element(edit.element)
    if kind == "file":
        return _rename_file(source, key, edit.new_key)
    if kind not in TABLES or (kind == "entry" and not key):
        raise EditRefused(f"{edit.element!r} cannot be renamed.", where=edit.element)
    path, pointer = place_of(source, edit.element)
    changes = _references(source, kind, key)

    def change(text: JsonText) -> JsonText:
        for place in changes:
            text = text.set(place, edit.new_key)
        return text.rename(pointer, edit.new_key)

    try:
        return source.edit(path, change)
    except ValueError:
        raise EditRefused(f"The {kind} {edit.new_key!r} exists already.") from None


def _references(source: RegistrySource, kind: str, key: str) -> list[Pointer]:
    if kind == "failurePattern":
        return [
            ("validators", name, "failurePattern")
            for name, item in source.table("validators").items()
            if item.get("failurePattern") == key
        ]
    if kind == "validationStep":
        own = source.table("validationSteps").get(key, {})
        return [("validationSteps", key, "stepId")] if own.get("stepId") == key else []
    if kind != "validator":
        return []
    return [
        ("validationSteps", name, *place, "validator")
        for name, item in source.table("validationSteps").items()
        for place, validator in conditions_of(item)
        if validator == key
    ]


def _rename_file(source: RegistrySource, path: str, new: str) -> RegistrySource:
    if path not in source.files or path == source.main:
        raise EditRefused(f"{path!r} cannot be renamed.", where=path)
    if new in source.files:
        raise EditRefused(f"The file {new!r} exists already.", where=new)
    data = source.files[path]
    source = write_file(source, WriteFile(path=new, text="")).write({path: None, new: data})
    prefix = f"{schemas_folder(source)}/"
    if not (path.startswith(prefix) and new.startswith(prefix)):
        return source
    old_name, new_name = path.removeprefix(prefix), new.removeprefix(prefix)
    for step in list(source.steps.values()):
        reference = step.value.get("outputSchemaRef")
        if isinstance(reference, dict) and reference.get("file") == old_name:
            place = ("steps", step.id, "outputSchemaRef", "file")
            source = change_at(source, source.main, place, new_name)
    return source
