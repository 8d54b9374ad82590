"""The edits of a PromptPack: one function per edit type.

States of the workflow and steps of a composition are both drawn as states, but their edits differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from workflows.core.dialects.promptpack.edits import (
    clipboard,
    fields,
    files,
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
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack import edits
from workflows.core.pack.edit_kit import EditKit
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import JsonText

TextEdit: TypeAlias = Callable[[PackSource, Any], JsonText]
"""An edit of the pack's only file."""
SourceEdit: TypeAlias = Callable[[PackSource, Any], PackSource]


def copy(source: PackSource, states: tuple[str, ...]) -> Json:
    """A fragment of these states. Raises EditRefused for states of several levels."""
    inside = {composition_of(source.parts, id) for id in states}
    if len(inside) > 1:
        raise EditRefused("States can be copied together only if they are on the same canvas.")
    if step_clipboard.are_steps(source.parts, states):
        return step_clipboard.copy(source, states)
    return clipboard.copy(source, states)


def _text(edit_text: TextEdit) -> SourceEdit:
    return lambda source, edit: source.with_text(edit_text(source, edit))


def _by_state(edit_state: TextEdit, edit_step: TextEdit) -> SourceEdit:
    """Dispatch on the state that `id` names: of the workflow or of a composition."""

    def edit_text(source: PackSource, edit: Any) -> JsonText:
        is_step = composition_of(source.parts, edit.id)
        return edit_step(source, edit) if is_step else edit_state(source, edit)

    return _text(edit_text)


def _by_transition(edit_state: TextEdit, edit_step: TextEdit) -> SourceEdit:
    """Dispatch on the transition: between states of the workflow or between steps."""

    def edit_text(source: PackSource, edit: Any) -> JsonText:
        id = edit.transition
        is_step = not find_transition(source.parts, id) and link_at(source.parts, id)
        return edit_step(source, edit) if is_step else edit_state(source, edit)

    return _text(edit_text)


def _connect(source: PackSource, edit: edits.Connect) -> JsonText:
    if composition_of(source.parts, edit.source):
        return step_transitions.connect(source, edit)
    return transitions.connect(source, edit)


def _add(source: PackSource, edit: edits.AddState) -> JsonText:
    if new_steps.is_new_step(source.parts, edit):
        return new_steps.add(source, edit)
    return states.add(source, edit)


def _paste(source: PackSource, edit: edits.Paste) -> JsonText:
    if step_clipboard.has_steps(edit):
        return step_clipboard.paste(source, edit)
    return clipboard.paste(source, edit)


KIT = EditKit[PackSource](
    functions={
        edits.Connect: _text(_connect),
        edits.Disconnect: _by_transition(transitions.disconnect, step_transitions.disconnect),
        edits.Retarget: _by_transition(transitions.retarget, step_transitions.retarget),
        edits.Relabel: _by_transition(transitions.relabel, step_transitions.relabel),
        edits.AddState: _text(_add),
        edits.RemoveState: _by_state(states.remove, steps.remove),
        edits.RenameState: _by_state(states.rename, steps.rename),
        edits.DuplicateState: _by_state(states.duplicate, steps.duplicate),
        edits.SetEntry: _by_state(states.set_entry, steps.set_entry),
        edits.SetField: _text(fields.set_field),
        edits.UnsetField: _text(fields.unset_field),
        edits.AddObject: _text(objects.add),
        edits.RemoveObject: _text(objects.remove),
        edits.RenameObject: _text(objects.rename),
        edits.Paste: _text(_paste),
        edits.WriteFile: files.write,
        edits.RemoveFile: files.remove,
    }
)
apply = KIT.apply
