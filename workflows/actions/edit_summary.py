"""What an edit is called in the history and on the undo button."""

from __future__ import annotations

from collections.abc import Sequence

from workflows.core.pack import edits
from workflows.core.pack.edits import Edit


def summary(made: Sequence[Edit]) -> str:
    """One line for these edits: the first that changes a file, and how many more there are."""
    telling: Sequence[Edit] = [one for one in made if not isinstance(one, edits.LAYOUT)] or made
    first = _line(telling[0])
    more = len(telling) - 1
    return f"{first} and {more} more" if more else first


def _line(edit: Edit) -> str:
    match edit:
        case edits.Connect():
            return f"Connect {edit.source} to {edit.target} by {edit.label}"
        case edits.Disconnect():
            return f"Remove the arrow {_arrow(edit.transition)}"
        case edits.Retarget():
            where = f"end at {edit.target}" if edit.target else f"begin at {edit.source}"
            return f"Let {_arrow(edit.transition)} {where}"
        case edits.Relabel():
            return f"Relabel {_arrow(edit.transition)} as {edit.label}"
        case edits.AddState():
            return f"Add {edit.id}"
        case edits.RemoveState():
            return f"Remove {edit.id}"
        case edits.RenameState():
            return f"Rename {edit.id} to {edit.new_id}"
        case edits.DuplicateState():
            return f"Duplicate {edit.id} as {edit.new_id}"
        case edits.SetEntry():
            return f"Start at {edit.id}"
        case edits.SetField():
            return f"Change {edit.field.strip('/') or 'the value'} of {_element(edit.element)}"
        case edits.UnsetField():
            return f"Take {edit.field.strip('/')} out of {_element(edit.element)}"
        case edits.AddObject():
            return f"Add {edit.kind} {edit.key}"
        case edits.RemoveObject():
            return f"Remove {_element(edit.element)}"
        case edits.RenameObject():
            return f"Rename {_element(edit.element)} to {edit.new_key}"
        case edits.WriteFile():
            return f"Write {edit.path}"
        case edits.RemoveFile():
            return f"Remove {edit.path}"
        case edits.Move():
            count = len(edit.positions)
            return f"Move {next(iter(edit.positions), '')}" if count == 1 else f"Move {count} boxes"
        case edits.Resize():
            return f"Resize {edit.id}"
        case edits.BindRole():
            return f"Bind {edit.id} to a role" if edit.binding else f"Unbind {edit.id}"
        case edits.WriteNote():
            return f"Write on {edit.id}" if edit.text.strip() else f"Take the note off {edit.id}"
        case _:
            return "Paste"


def _arrow(transition: str) -> str:
    source, _, rest = transition.partition("|")
    label, _, target = rest.rpartition("|")
    return f"{source} to {target} by {label}"


def _element(element: str) -> str:
    kind, _, key = element.partition(":")
    if kind == "transition":
        return _arrow(key)
    return key if kind == "state" else f"{kind} {key}".strip()
