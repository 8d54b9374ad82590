"""The edits of a steps registry: one function per edit type."""

from __future__ import annotations

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
from workflows.core.pack import edits
from workflows.core.pack.edit_kit import EditKit
from workflows.core.pack.edits import EditRefused


def _not_legacy(source: RegistrySource) -> None:
    """Raises EditRefused for a registry of a generation that is read-only."""
    if source.generation == "legacy":
        raise EditRefused(
            "This registry has the format from before Climpt 1.13 and is read-only.",
            where=source.main,
            hint="Edit it in the text view, or update it to the current format there.",
        )


def _schema_refusal(error: Exception) -> EditRefused | None:
    if isinstance(error, SchemaProblem):
        return EditRefused(f"An answer schema prevents this edit: {error}.")
    return None


KIT = EditKit[RegistrySource](
    functions={
        edits.Connect: transitions.connect,
        edits.Disconnect: transitions.disconnect,
        edits.Retarget: transitions.retarget,
        edits.Relabel: transitions.relabel,
        edits.AddState: states.add_state,
        edits.RemoveState: states.remove_state,
        edits.RenameState: rename.rename_state,
        edits.DuplicateState: states.duplicate_state,
        edits.SetEntry: entries.set_entry,
        edits.SetField: fields.set_field,
        edits.UnsetField: fields.unset_field,
        edits.AddObject: objects.add_object,
        edits.RemoveObject: objects.remove_object,
        edits.RenameObject: objects.rename_object,
        edits.Paste: clipboard.paste,
        edits.WriteFile: files.write_file,
        edits.RemoveFile: files.remove_file,
    },
    precondition=_not_legacy,
    explain=_schema_refusal,
)
apply = KIT.apply
copy = clipboard.copy
