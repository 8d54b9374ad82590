"""The edits of a pack of stages: one function per edit type."""

from __future__ import annotations

from workflows.core.dialects.stages.edits import (
    clipboard,
    fields,
    files,
    objects,
    rename,
    states,
    transition_changes,
    transitions,
)
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack import edits
from workflows.core.pack.edit_kit import EditKit

KIT = EditKit[StagesSource](
    functions={
        edits.Connect: transitions.connect,
        edits.Disconnect: transition_changes.disconnect,
        edits.Retarget: transition_changes.retarget,
        edits.Relabel: transition_changes.relabel,
        edits.AddState: states.add,
        edits.RemoveState: states.remove,
        edits.RenameState: rename.rename,
        edits.DuplicateState: states.duplicate,
        edits.SetEntry: states.set_entry,
        edits.SetField: fields.set_field,
        edits.UnsetField: fields.unset_field,
        edits.AddObject: objects.add,
        edits.RemoveObject: objects.remove,
        edits.RenameObject: objects.rename,
        edits.Paste: clipboard.paste,
        edits.WriteFile: files.write_file,
        edits.RemoveFile: files.remove_file,
    }
)
apply = KIT.apply
copy = clipboard.copy
