"""Setting and unsetting of form fields, at any depth."""

from __future__ import annotations

from workflows.core.dialects.agent_graph.edits.common import need_node, need_transition
from workflows.core.dialects.agent_graph.edits.states import rename
from workflows.core.dialects.agent_graph.edits.templates import KIND, need_template
from workflows.core.dialects.agent_graph.edits.transitions import (
    disconnect,
    need_room,
    relabel,
    retarget,
)
from workflows.core.dialects.agent_graph.format.vocabulary import EDGE_TYPES
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import (
    Disconnect,
    EditRefused,
    Relabel,
    RenameState,
    Retarget,
    SetField,
    UnsetField,
    missing_element,
)
from workflows.core.text.json.document import Pointer, pointer_of

COMPUTED = ("rights", "declares")
"""Computed form fields, which are in no file."""


def set_field(source: GraphSource, edit: SetField) -> GraphSource:
    """Set one value. Missing parent objects are created."""
    kind, _, key = edit.element.partition(":")
    if kind == "transition":
        return _set_transition(source, key, edit)
    if kind == KIND:
        return _set_template(source, edit)
    if kind == "state" and edit.field == "/id":
        return rename(source, RenameState(id=key, new_id=_text(edit)))
    pointer = _pointer(source, edit.element, edit.field)
    return source.with_text(source.json.put(pointer, edit.value))


def unset_field(source: GraphSource, edit: UnsetField) -> GraphSource:
    """Remove one value, so that its default applies. A missing value changes nothing."""
    kind, _, key = edit.element.partition(":")
    if kind == KIND:
        raise EditRefused("A template only has its text.", where=edit.element)
    if kind == "transition":
        transition = need_transition(source, key)
        if edit.field not in ("/label", "/type", "/bidirectional"):
            raise EditRefused("A transition needs both of its ends.", where=edit.element)
        if edit.field == "/type":
            need_room(
                source, transition.source, transition.target, "handoff", but=transition.edge.index
            )
        pointer: Pointer = ("edges", transition.edge.index, edit.field[1:])
    elif kind == "state" and edit.field in ("/id", "/role"):
        raise EditRefused("An agent needs an id and a role.", where=edit.element)
    else:
        pointer = _pointer(source, edit.element, edit.field)
    text = source.json
    return source.with_text(text.delete(pointer)) if text.has(pointer) else source


def _pointer(source: GraphSource, element: str, field: str) -> Pointer:
    kind, _, key = element.partition(":")
    try:
        inner = pointer_of(field)
    except ValueError as bad:
        raise EditRefused(f"{field!r} is not the pointer of a field.", where=element) from bad
    if not inner:
        raise EditRefused("Name the field that is to change.", where=element)
    if kind == "state":
        if inner[0] in COMPUTED:
            raise EditRefused("This value is computed from the template and the settings.")
        return ("nodes", need_node(source, key).index, *inner)
    if element == "pack":
        return inner
    raise missing_element(element)


def _set_transition(source: GraphSource, id: str, edit: SetField) -> GraphSource:
    transition = need_transition(source, id)
    here = ("edges", transition.edge.index)
    match edit.field, edit.value:
        case "/label", str(label):
            return relabel(source, Relabel(transition=id, label=label))
        case "/target", str(target):
            return retarget(source, Retarget(transition=id, target=target))
        case "/source", str(begin):
            return retarget(source, Retarget(transition=id, source=begin))
        case "/type", str(kind) if kind in EDGE_TYPES:
            need_room(source, transition.source, transition.target, kind, but=transition.edge.index)
            return source.with_text(source.json.set((*here, "type"), kind))
        case "/bidirectional", True:
            need_room(
                source,
                transition.target,
                transition.source,
                transition.edge.type,
                but=transition.edge.index,
            )
            return source.with_text(source.json.set((*here, "bidirectional"), True))
        case "/bidirectional", False:
            return _one_way(source, id)
    raise EditRefused(
        "A transition has two ends, a label, a type (handoff or report) and a direction.",
        where=edit.element,
    )


def _one_way(source: GraphSource, id: str) -> GraphSource:
    """Make an edge one-way in the direction of this transition."""
    transition = source.transitions[id]
    if not transition.edge.bidirectional:
        return source
    for other in source.transitions.values():
        if other.edge.index == transition.edge.index and other.back != transition.back:
            return disconnect(source, Disconnect(transition=other.id))
    here = ("edges", transition.edge.index, "bidirectional")
    return source.with_text(source.json.set(here, False))


def _set_template(source: GraphSource, edit: SetField) -> GraphSource:
    name = need_template(source, edit.element)
    if edit.field != "/text":
        raise EditRefused("A template only has its text.", where=edit.element)
    return source.with_files({source.template_files[name]: _text(edit).encode()})


def _text(edit: SetField) -> str:
    if not isinstance(edit.value, str):
        raise EditRefused("This has to be a text.", where=edit.element)
    return edit.value
