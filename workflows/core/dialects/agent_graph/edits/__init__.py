"""What each edit means for the bytes of a pack. One function per edit; `apply` picks it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workflows.core.dialects.agent_graph.edits import (
    clipboard,
    fields,
    files,
    states,
    templates,
    transitions,
)
from workflows.core.dialects.agent_graph.source import GraphSource
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
from workflows.core.pack.files import BadFiles, Files
from workflows.core.text.json.document import JsonTextError
from workflows.core.text.surrogates import HALF, half_character

Apply = Callable[[GraphSource, Any], GraphSource]

FUNCTIONS: dict[type[Any], Apply] = {
    Connect: transitions.connect,
    Disconnect: transitions.disconnect,
    Retarget: transitions.retarget,
    Relabel: transitions.relabel,
    AddState: states.add,
    RemoveState: states.remove,
    RenameState: states.rename,
    DuplicateState: states.duplicate,
    SetEntry: states.set_entry,
    SetField: fields.set_field,
    UnsetField: fields.unset_field,
    AddObject: templates.add,
    RemoveObject: templates.remove,
    RenameObject: templates.rename,
    Paste: clipboard.paste,
    WriteFile: files.write,
    RemoveFile: files.remove,
}
copy = clipboard.copy


def apply(source: GraphSource, edit: Edit) -> GraphSource:
    """The next source. Raises EditRefused with the reason; then nothing has changed."""
    function = FUNCTIONS.get(type(edit))
    if function is None:
        return source
    if not source.readable and not isinstance(edit, (WriteFile, RemoveFile)):
        raise EditRefused(
            "This file is not a readable agent graph, so only its text can be changed.",
            where=source.main,
            hint="Open the text view and repair what the findings name.",
        )
    try:
        after = function(source, edit)
        changes = source.files.difference(after.files)
        Files.of({path: data for path, data in changes.items() if data is not None})
    except JsonTextError as bad:
        raise EditRefused(f"This value cannot be written: {bad.message}") from bad
    except BadFiles as bad:
        raise EditRefused(bad.message, where=bad.where, hint=bad.hint) from bad
    except UnicodeEncodeError as bad:
        raise EditRefused(HALF) from bad
    except (KeyError, IndexError, ValueError) as bad:
        raise EditRefused(
            "This does not fit: the pack has something of another shape at that place.",
            where=source.main,
            hint="The findings say what; the text view can repair it.",
        ) from bad
    text = after.text
    if text is None or text is source.text or half_character(text.data, text.value) is None:
        return after
    raise EditRefused(HALF)
