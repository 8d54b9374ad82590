"""Setting and unsetting values of an element's form, at any depth."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.edits import files, rename, transition_changes
from workflows.core.dialects.stages.edits.common import need_stage, text_of
from workflows.core.dialects.stages.edits.pipeline import with_pipeline
from workflows.core.dialects.stages.format.elements import ENTRY_FIELDS, grants, setups
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import (
    EditRefused,
    Relabel,
    RenameState,
    Retarget,
    SetField,
    UnsetField,
    WriteFile,
    missing_element,
)
from workflows.core.text.json.document import pointer_of

Pointer = tuple[str | int, ...]


def set_field(source: StagesSource, edit: SetField) -> StagesSource:
    """Write one value and create missing parent objects. An empty string stays a string."""
    kind, _, key = edit.element.partition(":")
    inner = _inner(edit)
    match kind:
        case "state":
            return _set_in_stage(source, key, inner, edit.value)
        case "transition":
            return _set_in_transition(source, key, inner, edit.value)
        case "file" if inner == ("text",) and isinstance(edit.value, str):
            return files.write_file(source, WriteFile(path=key, text=edit.value))
    pointer = _in_pipeline(source, edit.element)
    source = with_pipeline(source)
    return source.with_pipeline(text_of(source).put((*pointer, *inner), edit.value))


def unset_field(source: StagesSource, edit: UnsetField) -> StagesSource:
    """Remove one value. A missing one changes nothing."""
    kind, _, key = edit.element.partition(":")
    inner = _inner(edit)
    if kind == "transition":
        raise EditRefused(
            "A transition needs both its target and its condition.", where=edit.element
        )
    if kind == "file":
        raise EditRefused("Remove the file instead.", where=edit.element)
    if kind == "state":
        return _unset_in_stage(source, key, inner)
    pointer = (*_in_pipeline(source, edit.element), *inner)
    if source.pipeline is None or not source.pipeline.has(pointer):
        return source
    return source.with_pipeline(source.pipeline.delete(pointer))


def _inner(edit: SetField | UnsetField) -> Pointer:
    try:
        inner = pointer_of(edit.field)
    except ValueError as bad:
        raise EditRefused(
            f"{edit.field!r} is not a pointer to a field.", where=edit.element
        ) from bad
    if not inner:
        raise EditRefused("The edit names no field.", where=edit.element)
    return inner


def _in_pipeline(source: StagesSource, element: str) -> Pointer:
    """The pointer of an element in the pipeline. Raises EditRefused for an unknown element."""
    kind, _, key = element.partition(":")
    if element == "pack":
        return ()
    if kind == "grant" and key in grants(source):
        return ("grants", grants(source)[key])
    if kind == "setup" and key in setups(source):
        stage, name = setups(source)[key]
        return ("stages", stage, "setup", name)
    raise missing_element(element)


def _set_in_stage(source: StagesSource, stage: str, inner: Pointer, value: Any) -> StagesSource:
    need_stage(source, stage)
    file = source.stages[stage]
    match inner:
        case ("id",) if isinstance(value, str):
            return _set_id(source, stage, value)
        case ("body",):
            if not isinstance(value, str):
                raise EditRefused("A prompt is a string.", where=f"state:{stage}")
            return files.with_data(source, file, files.with_body(file, value))
        case (first, *_) if first in ENTRY_FIELDS:
            source = with_pipeline(source)
            text = text_of(source).put(("stages", stage, *inner), value)
            return source.with_pipeline(text)
    return files.with_data(source, file, files.with_key(file, inner, value))


def _set_id(source: StagesSource, stage: str, value: str) -> StagesSource:
    """Set the id in the file. If it equals the key in the pipeline, the stage is renamed; otherwise
    the two are made equal here."""
    file = source.stages[stage]
    if file.values.get("id") == stage:
        return rename.rename(source, RenameState(id=stage, new_id=value))
    return files.with_data(source, file, files.with_key(file, ("id",), value))


def _unset_in_stage(source: StagesSource, stage: str, inner: Pointer) -> StagesSource:
    need_stage(source, stage)
    if inner == ("body",):
        return _set_in_stage(source, stage, inner, "")
    if inner[0] in ENTRY_FIELDS:
        pointer = ("stages", stage, *inner)
        if source.pipeline is None or not source.pipeline.has(pointer):
            return source
        return source.with_pipeline(source.pipeline.delete(pointer))
    file = source.stages[stage]
    return files.with_data(source, file, files.without_key(file, inner))


def _set_in_transition(
    source: StagesSource, transition: str, inner: Pointer, value: Any
) -> StagesSource:
    each = transition_changes.need_transition(source, transition)[0]
    match inner, value:
        case ("label",), str():
            return transition_changes.relabel(source, Relabel(transition=transition, label=value))
        case ("target",), str():
            return transition_changes.retarget(
                source, Retarget(transition=transition, target=value)
            )
        case ("join",), str() if each.plan.parallel:
            return _set_join(source, each.plan.pointer, each.plan.join, value)
        case ("when", *rest), _ if each.route is not None and each.plan.pointer[-1] == "then":
            here = (*each.plan.pointer[:-1], "when", *rest)
            return source.with_pipeline(text_of(source).put(here, value))
    raise EditRefused("This transition has no such field.", where=f"transition:{transition}")


def _set_join(source: StagesSource, pointer: Pointer, now: str | None, value: str) -> StagesSource:
    """Set another join. It may be a stage that does not exist yet."""
    text = text_of(source).set((*pointer, "join"), value)
    listed = text.get((*pointer, "nextStages"))
    if now in listed and value not in listed:
        text = text.set((*pointer, "nextStages", listed.index(now)), value)
    return source.with_pipeline(text)
