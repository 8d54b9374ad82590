"""Fields of forms, and the whole file."""

from __future__ import annotations

from workflows.core.dialects.climpt_workflow.edits.common import base_of, outcome_of
from workflows.core.dialects.climpt_workflow.edits.transitions import relabel, retarget
from workflows.core.dialects.climpt_workflow.source import WorkflowSource, read
from workflows.core.pack.edits import (
    EditRefused,
    Relabel,
    RemoveFile,
    Retarget,
    SetField,
    UnsetField,
    WriteFile,
)
from workflows.core.pack.files import Files, clean_path
from workflows.core.text.json.document import JsonText, Pointer, pointer_of


def set_field(source: WorkflowSource, edit: SetField) -> WorkflowSource:
    """Set one value of a form."""
    kind, _, key = edit.element.partition(":")
    if kind == "transition":
        return _set_transition(source, key, edit)
    pointer = _pointer(source, edit.element, edit.field)
    return source.edit(lambda text: _set(text, pointer, edit))


def _set(text: JsonText, pointer: Pointer, edit: SetField) -> JsonText:
    parent = text.get(pointer[:-1]) if text.has(pointer[:-1]) else None
    if isinstance(parent, list) and str(pointer[-1]) == str(len(parent)):
        return text.insert((*pointer[:-1], len(parent)), edit.value, index=len(parent))
    return text.put(pointer, edit.value)


def _set_transition(source: WorkflowSource, key: str, edit: SetField) -> WorkflowSource:
    outcome_of(source.parts, key)
    if not isinstance(edit.value, str):
        raise EditRefused("The value of this field must be a string.", where=edit.element)
    if edit.field == "/target":
        return retarget(source, Retarget(transition=key, target=edit.value))
    if edit.field == "/outcome":
        return relabel(source, Relabel(transition=key, label=edit.value))
    raise EditRefused(f"A transition has no field {edit.field!r}.", where=edit.element)


def unset_field(source: WorkflowSource, edit: UnsetField) -> WorkflowSource:
    """Remove one value, so that the format's default applies."""
    pointer = _pointer(source, edit.element, edit.field)
    if not source.has(pointer):
        raise EditRefused(f"{edit.field} is not set here.", where=edit.element)
    return source.edit(lambda text: text.delete(pointer))


def _pointer(source: WorkflowSource, element: str, field: str) -> Pointer:
    if not field.startswith("/") or element.startswith("transition:"):
        raise EditRefused(f"{element} has no field {field!r}.", where=element)
    inner = pointer_of(field)
    if element.startswith("label:"):
        label = element.removeprefix("label:")
        return ("labelMapping", label) if inner == ("phase",) else ("labels", label, *inner)
    return (*base_of(source, element), *inner)


def write_file(source: WorkflowSource, edit: WriteFile) -> WorkflowSource:
    """Replace the text of the workflow, or of a case."""
    path = clean_path(edit.path)
    if path not in source.files:
        raise EditRefused(
            "A workflow has one file.", where=edit.path, hint=f"Write to {source.main} instead."
        )
    return read(Files.of({**source.files, path: edit.text.encode("utf-8")}))


def remove_file(source: WorkflowSource, edit: RemoveFile) -> WorkflowSource:
    """Raises EditRefused: without its file there is no pack."""
    raise EditRefused(
        "A workflow has one file, which cannot be removed.",
        where=edit.path,
        hint="Delete the pack itself instead.",
    )
