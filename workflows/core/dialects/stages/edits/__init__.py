"""What each edit means for the bytes of a pack. One function per edit; `apply` picks it."""

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
from workflows.core.pack.edits import (
    AddObject,
    AddState,
    Connect,
    Disconnect,
    DuplicateState,
    Edit,
    EditRefused,
    Move,
    Paste,
    Relabel,
    RemoveFile,
    RemoveObject,
    RemoveState,
    RenameObject,
    RenameState,
    Resize,
    Retarget,
    SetEntry,
    SetField,
    UnsetField,
    WriteFile,
)
from workflows.core.pack.files import BadFiles
from workflows.core.text.json.document import JsonTextError
from workflows.core.text.surrogates import HALF, half_character
from workflows.core.text.yaml.errors import YamlTextError


def apply(source: StagesSource, edit: Edit) -> StagesSource:
    """The next source. Raises EditRefused with the reason; then nothing has changed."""
    match edit:
        case WriteFile():
            return files.write_file(source, edit)
        case RemoveFile():
            return files.remove_file(source, edit)
        case Move() | Resize():
            return source
    if not source.readable:
        raise EditRefused(
            "The pipeline cannot be read, so only its text can be changed.",
            where=source.main,
            hint="Open the text view and repair what the findings name.",
        )
    try:
        found = _applied(source, edit)
    except BadFiles as bad:
        raise EditRefused(bad.message, where=bad.where, hint=bad.hint) from bad
    except JsonTextError as bad:
        raise EditRefused(f"This value cannot be written: {bad.message}") from bad
    except YamlTextError as bad:
        raise EditRefused(bad.message, hint=bad.hint) from bad
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as bad:
        raise EditRefused(
            "This does not fit: the pack has something of another shape at that place.",
            where=source.main,
            hint="The findings say what; the text view can repair it.",
        ) from bad
    text = found.pipeline
    if text is None or text is source.pipeline or half_character(text.data, text.value) is None:
        return found
    raise EditRefused(HALF)


def _applied(source: StagesSource, edit: Edit) -> StagesSource:
    match edit:
        case Connect():
            return transitions.connect(source, edit)
        case Disconnect():
            return transition_changes.disconnect(source, edit)
        case Retarget():
            return transition_changes.retarget(source, edit)
        case Relabel():
            return transition_changes.relabel(source, edit)
        case AddState():
            return states.add(source, edit)
        case RemoveState():
            return states.remove(source, edit)
        case RenameState():
            return rename.rename(source, edit)
        case DuplicateState():
            return states.duplicate(source, edit)
        case SetEntry():
            return states.set_entry(source, edit)
        case SetField():
            return fields.set_field(source, edit)
        case UnsetField():
            return fields.unset_field(source, edit)
        case AddObject():
            return objects.add(source, edit)
        case RemoveObject():
            return objects.remove(source, edit)
        case RenameObject():
            return objects.rename(source, edit)
        case Paste():
            return clipboard.paste(source, edit)
    raise EditRefused(f"A pack of stages has nothing that an edit of type {edit.type} changes.")
