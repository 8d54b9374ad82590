"""Names of edits for the history and the undo button."""

from __future__ import annotations

from collections.abc import Sequence

from workflows.core.pack import edits
from workflows.core.pack.edits import Edit


def summary(made: Sequence[Edit]) -> str:
    """One line for these edits: the first that changes a file, and the number of the others."""
    telling: Sequence[Edit] = [one for one in made if not isinstance(one, edits.LAYOUT)]
    telling = telling or [one for one in made if not isinstance(one, edits.Draw)] or made
    first = _line(telling[0])
    more = len(telling) - 1
    return f"{first} and {more} more" if more else first


def _line(edit: Edit) -> str:
    match edit:
        case edits.Connect():
            return f"Connect {edit.source} to {edit.target} by {edit.label}"
        case edits.Disconnect():
            return f"Remove the transition {_transition(edit.transition)}"
        case edits.Retarget():
            end, state = ("target", edit.target) if edit.target else ("source", edit.source)
            return f"Move the {end} of {_transition(edit.transition)} to {state}"
        case edits.Relabel():
            return f"Relabel {_transition(edit.transition)} as {edit.label}"
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
            return f"Remove {edit.field.strip('/')} from {_element(edit.element)}"
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
            return (
                f"Move {next(iter(edit.positions), '')}" if count == 1 else f"Move {count} states"
            )
        case edits.Draw():
            return "Keep the drawing"
        case edits.Resize():
            return f"Resize {edit.id}"
        case edits.BindRole():
            return f"Bind {edit.id} to a role" if edit.binding else f"Unbind {edit.id}"
        case edits.WriteNote():
            return (
                f"Edit the note of {edit.id}"
                if edit.text.strip()
                else f"Remove the note of {edit.id}"
            )
        case edits.LimitApprovals(id=id, hours=None):
            return f"Remove the time limit of {id}"
        case edits.LimitApprovals():
            return f"Limit the time of approvals in {edit.id}"
        case _:
            return "Paste"


def _transition(transition: str) -> str:
    source, _, rest = transition.partition("|")
    label, _, target = rest.rpartition("|")
    return f"{source} to {target} by {label}"


def _element(element: str) -> str:
    kind, _, key = element.partition(":")
    if kind == "transition":
        return _transition(key)
    return key if kind == "state" else f"{kind} {key}".strip()
