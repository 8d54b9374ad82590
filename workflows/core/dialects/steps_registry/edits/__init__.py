"""What each edit means for the bytes: one small function per edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workflows.core.dialects.steps_registry.edits import (
    clipboard,
    entries,
    fields,
    files,
    objects,
    rename,
    states,
    transitions,
)
from workflows.core.dialects.steps_registry.schemas.references import SchemaProblem
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import (
    AddObject,
    AddState,
    Connect,
    Disconnect,
    DuplicateState,
    Edit,
    EditRefused,
    Paste,
    Relabel,
    RemoveFile,
    RemoveObject,
    RemoveState,
    RenameObject,
    RenameState,
    Retarget,
    SetEntry,
    SetField,
    UnsetField,
    WriteFile,
)
from workflows.core.pack.files import BadFiles

Apply = Callable[[RegistrySource, Any], RegistrySource]

FUNCTIONS: dict[type[Any], Apply] = {
    Connect: transitions.connect,
    Disconnect: transitions.disconnect,
    Retarget: transitions.retarget,
    Relabel: transitions.relabel,
    AddState: states.add_state,
    RemoveState: states.remove_state,
    DuplicateState: states.duplicate_state,
    RenameState: rename.rename_state,
    SetEntry: entries.set_entry,
    SetField: fields.set_field,
    UnsetField: fields.unset_field,
    AddObject: objects.add_object,
    RemoveObject: objects.remove_object,
    RenameObject: objects.rename_object,
    Paste: clipboard.paste,
    WriteFile: files.write_file,
    RemoveFile: files.remove_file,
}


def apply(source: RegistrySource, edit: Edit) -> RegistrySource:
    """Carry out one edit. Raises EditRefused with the sentence that says why not."""
    function = FUNCTIONS.get(type(edit))
    if function is None:
        raise EditRefused(f"An edit of type {edit.type} changes no file.")
    if not isinstance(edit, (WriteFile, RemoveFile)):
        _writable(source, edit)
    try:
        return function(source, edit)
    except SchemaProblem as problem:
        raise EditRefused(f"An answer schema stands in the way: {problem}.") from problem
    except BadFiles as bad:
        raise EditRefused(bad.message, where=bad.where, hint=bad.hint) from bad
    except (KeyError, ValueError) as error:
        raise EditRefused(
            "The files do not have the shape that this edit needs.",
            where=str(error).strip("'"),
            hint="Repair what the findings name at this place first.",
        ) from error


def _writable(source: RegistrySource, edit: Edit) -> None:
    if not source.readable:
        raise EditRefused(
            "The registry cannot be read, so it can only be changed in the text view.",
            where=source.main,
            hint="Repair what the findings name first.",
        )
    if source.generation == "legacy":
        raise EditRefused(
            "This registry has a shape from before 1.13 and is read-only.",
            where=source.main,
            hint="Change it in the text view, or bring it to today's shape there.",
        )
