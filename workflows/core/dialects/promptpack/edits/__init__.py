"""What each edit means for the bytes of a pack. One function per edit; `apply` picks it."""

from __future__ import annotations

from workflows.core.dialects.promptpack.edits import arrows, clipboard, fields, objects, states
from workflows.core.dialects.promptpack.source import PackSource, half_character, read
from workflows.core.edits import (
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
from workflows.core.files import MAX_FILE_BYTES, BadFiles, Files
from workflows.core.text.json_text import JsonText, JsonTextError


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
        text = _applied(source, edit)
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
    if half_character(text) is not None:
        raise EditRefused("A text has half a character in it, which nothing can store or send.")
    return source.with_text(text)


def _applied(source: PackSource, edit: Edit) -> JsonText:
    match edit:
        case Connect():
            return arrows.connect(source, edit)
        case Disconnect():
            return arrows.disconnect(source, edit)
        case Retarget():
            return arrows.retarget(source, edit)
        case Relabel():
            return arrows.relabel(source, edit)
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
