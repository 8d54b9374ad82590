"""The edits of a script: one function per edit type."""

from __future__ import annotations

from workflows.core.dialects.workflow_scripts.edits import values
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack import edits
from workflows.core.pack.edit_kit import EditKit

STRUCTURE = (
    edits.Connect,
    edits.Disconnect,
    edits.Retarget,
    edits.Relabel,
    edits.AddState,
    edits.RemoveState,
    edits.DuplicateState,
    edits.SetEntry,
    edits.Paste,
)
"""Edits of the drawing that would write code."""

KIT = EditKit[ScriptSource](
    functions={
        **dict.fromkeys(STRUCTURE, values.structure),
        edits.RenameState: values.rename_state,
        edits.SetField: values.set_field,
        edits.UnsetField: values.unset_field,
        edits.AddObject: values.add_object,
        edits.RemoveObject: values.remove_object,
        edits.RenameObject: values.rename_object,
        edits.WriteFile: values.write_file,
        edits.RemoveFile: values.remove_file,
    }
)
apply = KIT.apply
