"""Adding, removing, renaming and copying steps of a composition, and choosing the first one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.promptpack.edits.own_prompts import (
    with_own_prompts,
    with_prompt_renamed,
)
from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.graph.composition_flow import (
    BRANCH_FIELDS,
    DEPENDS,
    Flow,
    Step,
)
from workflows.core.dialects.promptpack.graph.levels import step_at
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import (
    DuplicateState,
    EditRefused,
    RemoveState,
    RenameState,
    SetEntry,
    missing_element,
)
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText
from workflows.core.text.tolerant import as_list, as_str

STEP_ID = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
STEP_ID_RULE = "Use letters, digits and _, and start with a letter or _."
_WITH_REFERENCES = ("input", "args", "predicate")


def need_step(parts: Parts, id: str) -> tuple[Flow, Step]:
    """The step with this state id. Raises EditRefused if no composition has it."""
    place = step_at(parts, id)
    if place is None:
        raise missing_element(f"state:{id}", kind="step")
    return place


def free_step_id(flow: Flow, id: str) -> str:
    """The step id in a new state id. Raises EditRefused if the id is invalid or already used."""
    prefix = f"{flow.name}/"
    if not id.startswith(prefix):
        raise EditRefused(
            f"A step of composition {flow.name!r} cannot leave it.",
            where=f"state:{id}",
            hint=f"Its id begins with {prefix!r}. Use copy and paste to move it.",
        )
    name = id.removeprefix(prefix)
    require_free(all_ids(flow.spec.get("steps")), name, "step")
    if not STEP_ID.fullmatch(name):
        raise EditRefused(
            f"{name!r} is not a valid step id.",
            where=f"state:{id}",
            hint=STEP_ID_RULE,
        )
    return name


def all_ids(value: Any) -> list[str]:
    """Step ids at any depth, including duplicates that are not drawn."""
    ids: list[str] = []
    for item in as_list(value):
        if isinstance(item, dict):
            ids += [item["id"]] if isinstance(item.get("id"), str) else []
            ids += all_ids(item.get("branches"))
    return ids


def remove(source: PackSource, edit: RemoveState) -> JsonText:
    """Remove the step, and every `depends_on`, `then`, `else` and `output` that names it or one of
    its branches. References to its output stay and are reported as findings."""
    flow, step = need_step(source.parts, edit.id)
    if flow.order == [step.name]:
        raise EditRefused(
            f"Step {step.name!r} is the only step of {flow.name!r}.",
            where=f"state:{edit.id}",
            hint="Remove the composition instead.",
        )
    gone = {step.name, *all_ids(step.spec.get("branches"))}
    text = remove_mentions(source.json, flow, gone)
    return text.delete(step.pointer)


def remove_mentions(text: JsonText, flow: Flow, gone: set[str]) -> JsonText:
    """The composition without references to these steps. Pointers of steps stay valid."""
    mentions: list[Pointer] = []
    if as_str(flow.spec.get("output")) in gone:
        mentions.append(("compositions", flow.name, "output"))
    for other in flow.steps.values():
        if other.name in gone:
            continue
        mentions += _dependencies(text, other, gone)
        for field in BRANCH_FIELDS:
            if other.branch_target(field) in gone:
                mentions.append((*other.pointer, field))
    return text.delete_all(mentions)


def remove_dependencies(text: JsonText, step: Step, gone: set[str]) -> JsonText:
    """The step without these dependencies. An empty `depends_on` is removed."""
    return text.delete_all(_dependencies(text, step, gone))


def _dependencies(text: JsonText, step: Step, gone: set[str]) -> list[Pointer]:
    """The places of these dependencies, the last one first; of all of them, that of the list."""
    here = (*step.pointer, DEPENDS)
    names = as_list(text.get(here))
    indexes = [index for index, item in enumerate(names) if isinstance(item, str) and item in gone]
    if names and len(indexes) == len(names):
        return [here]
    return [(*here, index) for index in reversed(indexes)]


def rename(source: PackSource, edit: RenameState) -> JsonText:
    """Rename the step and all references to it in the composition, including `${…}`. A prompt that
    is named after the step, and that only this step uses, is renamed too."""
    flow, step = need_step(source.parts, edit.id)
    if edit.new_id == edit.id:
        return source.json
    new = free_step_id(flow, edit.new_id)
    texts = dict.fromkeys(_mentions(flow, step.name), new)
    for pointer, words in _reference_texts(flow):
        renamed = rename_references(words, step.name, new)
        if renamed != words:
            texts[pointer] = renamed
    text = source.json.set_all(texts).set((*step.pointer, "id"), new)
    task = (*step.pointer, "prompt_task")
    return with_prompt_renamed(source.with_text(text), task, step.name, new)


def _mentions(flow: Flow, name: str) -> Iterator[Pointer]:
    """All pointers at which a value is this step's id."""
    if flow.spec.get("output") == name:
        yield ("compositions", flow.name, "output")
    for step in flow.steps.values():
        for index, item in enumerate(as_list(step.spec.get(DEPENDS))):
            if item == name:
                yield (*step.pointer, DEPENDS, index)
        for field in BRANCH_FIELDS:
            if step.branch_target(field) == name:
                yield (*step.pointer, field)


def _reference_texts(flow: Flow) -> Iterator[tuple[Pointer, str]]:
    """Every string of the composition that can contain `${…}`, with its pointer."""
    for step in flow.steps.values():
        for field in _WITH_REFERENCES:
            if field in step.spec:
                yield from _strings_in((*step.pointer, field), step.spec[field])


def _strings_in(pointer: Pointer, value: Any) -> Iterator[tuple[Pointer, str]]:
    match value:
        case str():
            yield pointer, value
        case dict():
            for key, item in value.items():
                yield from _strings_in((*pointer, key), item)
        case list():
            for index, item in enumerate(value):
                yield from _strings_in((*pointer, index), item)


def rename_references(words: str, old: str, new: str) -> str:
    """The text with `old` replaced by `new` in every `${…}`."""
    return re.sub(rf"\$\{{{re.escape(old)}(?=[.}}])", lambda _: f"${{{new}", words)


def duplicate(source: PackSource, edit: DuplicateState) -> JsonText:
    """Insert a copy after the original, with the same dependencies and targets and with copies of
    its prompts. Branches inside get a numbered id, because ids are unique in a composition."""
    flow, step = need_step(source.parts, edit.id)
    name = free_step_id(flow, edit.new_id)
    taken = {*all_ids(flow.spec.get("steps")), name}
    copy = {**with_free_ids(step.spec, taken), "id": name}
    text, copy = with_own_prompts(source.json, source.parts, copy)
    *base, index = step.pointer
    return text.insert((*base, int(index) + 1), copy)


def with_free_ids(spec: Any, taken: set[str]) -> dict[str, Any]:
    """The step with new ids for the branches inside it. The new ids are added to `taken`."""
    fresh = dict(spec)
    if isinstance(fresh.get("branches"), list):
        inner = []
        for item in fresh["branches"]:
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                item = {**with_free_ids(item, taken), "id": numbered_step(item["id"], taken)}
                taken.add(item["id"])
            inner.append(item)
        fresh["branches"] = inner
    return fresh


def numbered_step(name: str, taken: set[str]) -> str:
    """The name, or the name with the first free number. Step ids cannot contain hyphens."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def set_entry(source: PackSource, edit: SetEntry) -> JsonText:
    """Move the step to the start of the list: steps run in list order."""
    flow, step = need_step(source.parts, edit.id)
    targets = {link.target for link in flow.links() if link.label or link.kind == "fork"}
    if step.name in targets:
        raise EditRefused(
            f"Step {step.name!r} follows another step, so it cannot be the first.",
            where=f"state:{edit.id}",
            hint="Remove the transitions to it first.",
        )
    return source.json.move(step.pointer, index=0)
