"""The edits of an agent graph: one function per edit type."""

from __future__ import annotations

from workflows.core.dialects.agent_graph.edits import (
    clipboard,
    fields,
    files,
    states,
    templates,
    transitions,
)
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack import edits
from workflows.core.pack.edit_kit import EditKit

KIT = EditKit[GraphSource](
    functions={
        edits.Connect: transitions.connect,
        edits.Disconnect: transitions.disconnect,
        edits.Retarget: transitions.retarget,
        edits.Relabel: transitions.relabel,
        edits.AddState: states.add,
        edits.RemoveState: states.remove,
        edits.RenameState: states.rename,
        edits.DuplicateState: states.duplicate,
        edits.SetEntry: states.set_entry,
        edits.SetField: fields.set_field,
        edits.UnsetField: fields.unset_field,
        edits.AddObject: templates.add,
        edits.RemoveObject: templates.remove,
        edits.RenameObject: templates.rename,
        edits.Paste: clipboard.paste,
        edits.WriteFile: files.write,
        edits.RemoveFile: files.remove,
    }
)
apply = KIT.apply
copy = clipboard.copy
