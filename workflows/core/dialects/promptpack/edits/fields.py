"""Setting and removing values of an element's form, at any depth."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.edits import steps
from workflows.core.dialects.promptpack.edits.common import STATES
from workflows.core.dialects.promptpack.edits.transitions import relabel, retarget
from workflows.core.dialects.promptpack.format.elements import (
    artifact_slots,
    find_transition,
    locate_element,
)
from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.dialects.promptpack.graph.levels import composition_of, step_at, step_state_id
from workflows.core.dialects.promptpack.schemas.versions import FORMAT
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import (
    EditRefused,
    Relabel,
    RenameState,
    Retarget,
    SetField,
    UnsetField,
    missing_element,
)
from workflows.core.text.json.document import JsonText, pointer_of

SHORT_FORMS: dict[str, tuple[int, str, dict[str, str]]] = {
    "skill": (2, "path", {}),
    "provider": (3, "key", {"role": "llm"}),
}
"""Objects that can be written as a plain string: the length of their pointer, the field that the
string stands for, and the other fields that the long form needs."""


def set_field(source: PackSource, edit: SetField) -> JsonText:
    """Set one value and create missing parent objects. An empty string is kept as a string."""
    if edit.element.startswith("transition:"):
        return _set_transition_field(source, edit)
    if edit.field == "/id" and step_at(source.parts, edit.element.removeprefix("state:")):
        return _set_step_id(source, edit)
    pointer = _pointer(source, edit.element, edit.field)
    kind = edit.element.partition(":")[0]
    if kind in SHORT_FORMS and edit.field:
        return _set_short_form(source, kind, pointer, edit.value)
    text = source.json
    try:
        for place in _pointers(source, edit.element, pointer):
            text = text.put(place, edit.value)
        return text
    except (KeyError, ValueError) as bad:
        raise EditRefused(
            f"{edit.field or 'The whole element'} cannot be set: the element has no such place.",
            where=edit.element,
        ) from bad


def _set_step_id(source: PackSource, edit: SetField) -> JsonText:
    id = edit.element.removeprefix("state:")
    composition = composition_of(source.parts, id) or ""
    return steps.rename(
        source, RenameState(id=id, new_id=step_state_id(composition, str(edit.value)))
    )


def unset_field(source: PackSource, edit: UnsetField) -> JsonText:
    """Remove one value. A missing value is not an error."""
    if edit.element.startswith("transition:"):
        raise EditRefused("A transition needs both its event and its target.", where=edit.element)
    pointer = _pointer(source, edit.element, edit.field)
    if not edit.field:
        raise EditRefused("Name the field to remove.", where=edit.element)
    text = source.json
    for place in _pointers(source, edit.element, pointer):
        text = text.delete(place) if text.has(place) else text
    return text


def _pointers(source: PackSource, element: str, pointer: Pointer) -> list[Pointer]:
    """All pointers at which a value is written: every state that uses an artifact declares it."""
    kind, _, name = element.partition(":")
    if kind != "artifact":
        return [pointer]
    slots = artifact_slots(source.parts, name)
    return [(*slot, *pointer[len(slot) :]) for slot in slots]


def _pointer(source: PackSource, element: str, field: str) -> Pointer:
    location = locate_element(source.parts, element)
    if location is None:
        raise missing_element(element)
    try:
        inner = pointer_of(field)
    except ValueError as bad:
        raise EditRefused(f"{field!r} is not a valid field pointer.", where=element) from bad
    if location.definition == "Fragment" and inner == ("text",):
        return location.pointer
    if not location.pointer and not inner:
        raise EditRefused("The whole pack can only be changed in the text view.", where=element)
    if not location.pointer and inner == (FORMAT,):
        raise EditRefused("The version of the format is computed and cannot be set.", where=element)
    return (*location.pointer, *inner)


def _set_short_form(source: PackSource, kind: str, pointer: Pointer, value: Any) -> JsonText:
    """Set a field of a skill or provider. A plain string becomes an object if it needs another
    field."""
    size, field, more = SHORT_FORMS[kind]
    base, inner = pointer[:size], pointer[size:]
    short = source.json.get(base)
    if not isinstance(short, str):
        return source.json.put(pointer, value)
    if inner == (field,):
        return source.json.set(base, value)
    return source.json.set(base, {field: short, **more}).put(pointer, value)


def _set_transition_field(source: PackSource, edit: SetField) -> JsonText:
    transition = edit.element.removeprefix("transition:")
    match edit.field, edit.value:
        case "/event", str(label):
            return relabel(source, Relabel(transition=transition, label=label))
        case "/target", str(target):
            return retarget(source, Retarget(transition=transition, target=target))
        case "/max_visits", value:
            state_transition = find_transition(source.parts, transition)
            if state_transition is not None and not state_transition.event:
                return source.json.set((*STATES, state_transition.source, "max_visits"), value)
    raise EditRefused("A transition has an event and a target, both strings.", where=edit.element)
