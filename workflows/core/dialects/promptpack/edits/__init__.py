"""What each edit means for the bytes of a pack. One function per edit; `apply` picks it."""

from __future__ import annotations

from workflows.core.dialects.promptpack.edits import (
    clipboard,
    fields,
    new_steps,
    objects,
    states,
    step_clipboard,
    step_transitions,
    steps,
    transitions,
)
from workflows.core.dialects.promptpack.format.elements import find_transition
from workflows.core.dialects.promptpack.graph.levels import composition_of, link_at
from workflows.core.dialects.promptpack.source import PackSource, read
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
from workflows.core.pack.files import MAX_FILE_BYTES, BadFiles, Files
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import JsonText, JsonTextError
from workflows.core.text.surrogates import HALF, half_character


def apply(source: PackSource, edit: Edit) -> PackSource:
    """The next source. Raises EditRefused with the reason; then nothing has changed."""
    match edit:
        case WriteFile(path=path, text=written):
            return _write(source, path, written)
        case RemoveFile():
            raise EditRefused(
                "A PromptPack is one file, and it cannot do without it.",
                hint="Delete the pack itself instead.",
            )
        case Move() | Resize():
            return source
    if not source.readable:
        raise EditRefused(
            "This file is not a readable pack, so only its text can be changed.",
            where=source.main,
            hint="Open the text view and repair what the findings name.",
        )
    try:
        text = _in_a_level(source, edit) or _applied(source, edit)
    except JsonTextError as bad:
        raise EditRefused(f"This value cannot be written: {bad.message}") from bad
    except (KeyError, IndexError, ValueError) as bad:
        raise EditRefused(
            "This does not fit: the pack has something of another shape at that place.",
            where=source.main,
            hint="The findings say what; the text view can repair it.",
        ) from bad
    if len(text.data) > MAX_FILE_BYTES:
        raise EditRefused(f"The pack would be larger than {MAX_FILE_BYTES:,} bytes.")
    if half_character(text.data, text.value) is not None:
        raise EditRefused(HALF)
    return source.with_text(text)


def copy(source: PackSource, states: tuple[str, ...]) -> Json:
    """A fragment of these boxes. Raises EditRefused for boxes of several levels."""
    inside = {composition_of(source.parts, id) for id in states}
    if len(inside) > 1:
        raise EditRefused("Only what stands on one canvas can be copied together.")
    if step_clipboard.are_steps(source.parts, states):
        return step_clipboard.copy(source, states)
    return clipboard.copy(source, states)


def _in_a_level(source: PackSource, edit: Edit) -> JsonText | None:
    """The text after an edit of steps and of arrows between them; None for every other edit."""
    parts = source.parts
    match edit:
        case AddState() if new_steps.is_new_step(parts, edit):
            return new_steps.add(source, edit)
        case Paste() if step_clipboard.has_steps(edit):
            return step_clipboard.paste(source, edit)
        case Connect(source=id) if composition_of(parts, id):
            return step_transitions.connect(source, edit)
        case Disconnect(transition=id) | Retarget(transition=id) | Relabel(transition=id):
            if find_transition(parts, id) or not link_at(parts, id):
                return None
            return _in_a_level_between(source, edit)
        case RemoveState() | RenameState() | DuplicateState() | SetEntry():
            if composition_of(parts, edit.id):
                return _in_a_level_at(source, edit)
    return None


def _in_a_level_between(source: PackSource, edit: Disconnect | Retarget | Relabel) -> JsonText:
    match edit:
        case Disconnect():
            return step_transitions.disconnect(source, edit)
        case Retarget():
            return step_transitions.retarget(source, edit)
        case Relabel():
            return step_transitions.relabel(source, edit)


def _in_a_level_at(
    source: PackSource, edit: RemoveState | RenameState | DuplicateState | SetEntry
) -> JsonText:
    match edit:
        case RemoveState():
            return steps.remove(source, edit)
        case RenameState():
            return steps.rename(source, edit)
        case DuplicateState():
            return steps.duplicate(source, edit)
        case SetEntry():
            return steps.set_entry(source, edit)


def _applied(source: PackSource, edit: Edit) -> JsonText:
    match edit:
        case Connect():
            return transitions.connect(source, edit)
        case Disconnect():
            return transitions.disconnect(source, edit)
        case Retarget():
            return transitions.retarget(source, edit)
        case Relabel():
            return transitions.relabel(source, edit)
        case AddState():
            return states.add(source, edit)
        case RemoveState():
            return states.remove(source, edit)
        case RenameState():
            return states.rename(source, edit)
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
    raise EditRefused(f"A PromptPack has nothing that an edit of type {edit.type} could change.")


def _write(source: PackSource, path: str, written: str) -> PackSource:
    if path != source.main:
        raise EditRefused(
            "A PromptPack is one file.", where=path, hint=f"Write to {source.main} instead."
        )
    try:
        return read(Files.of({**source.files, path: written.encode("utf-8")}))
    except UnicodeEncodeError as bad:
        raise EditRefused("The text has half a character in it, which no file can keep.") from bad
    except BadFiles as bad:
        raise EditRefused(bad.message, where=bad.where, hint=bad.hint) from bad
