"""The edits of a workflow: one function per edit type."""

from __future__ import annotations

from workflows.core.dialects.climpt_workflow.edits import fields, objects, phases, transitions
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack import edits
from workflows.core.pack.edit_kit import EditKit

KIT = EditKit[WorkflowSource](
    functions={
        edits.Connect: transitions.connect,
        edits.Disconnect: transitions.disconnect,
        edits.Retarget: transitions.retarget,
        edits.Relabel: transitions.relabel,
        edits.AddState: phases.add,
        edits.RemoveState: phases.remove,
        edits.RenameState: phases.rename,
        edits.DuplicateState: phases.duplicate,
        edits.SetEntry: phases.set_entry,
        edits.SetField: fields.set_field,
        edits.UnsetField: fields.unset_field,
        edits.AddObject: objects.add,
        edits.RemoveObject: objects.remove,
        edits.RenameObject: objects.rename,
        edits.Paste: phases.paste,
        edits.WriteFile: fields.write_file,
        edits.RemoveFile: fields.remove_file,
    }
)
apply = KIT.apply
copy = phases.copy
