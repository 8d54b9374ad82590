"""Adding, removing, renaming and copying the steps of a composition, and choosing the first one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Parts, Pointer, word
from workflows.core.dialects.promptpack.graph.composition_flow import AIMS, DEPENDS, Flow, Step
from workflows.core.dialects.promptpack.graph.levels import step_at
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import (
    DuplicateState,
    EditRefused,
    RemoveState,
    RenameState,
    SetEntry,
)
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_WITH_REFERENCES = ("input", "args", "predicate")


def need_step(parts: Parts, id: str) -> tuple[Flow, Step]:
    """Raises EditRefused where no composition has such a step."""
    found = step_at(parts, id)
    if found is None:
        raise EditRefused(f"There is no step {id!r} in this pack.", where=f"state:{id}")
    return found


def free_name(flow: Flow, id: str) -> str:
    """The step's own part of a box's new id. Raises EditRefused for one that cannot be had."""
    prefix = f"{flow.name}/"
    if not id.startswith(prefix):
        raise EditRefused(
            f"A step of {flow.name!r} stays in it.",
            where=f"state:{id}",
            hint=f"Its id begins with {prefix!r}. Copy and paste brings it elsewhere.",
        )
    name = id.removeprefix(prefix)
    require_free(all_ids(flow.spec.get("steps")), name, "step")
    if not NAME.fullmatch(name):
        raise EditRefused(
            f"{name!r} cannot be the id of a step.",
            where=f"state:{id}",
            hint="Letters, digits and _, and no digit at the beginning.",
        )
    return name


def all_ids(value: Any) -> list[str]:
    """Ids of steps at any depth, those that are not drawn because they stand twice among them."""
    found: list[str] = []
    for item in value if isinstance(value, list) else []:
        if isinstance(item, dict):
            found += [item["id"]] if isinstance(item.get("id"), str) else []
            found += all_ids(item.get("branches"))
    return found


def remove(source: PackSource, edit: RemoveState) -> JsonText:
    """The step, and every `depends_on`, `then`, `else` and `output` that names it or a branch in
    it. What reads its output keeps doing so, and a finding says it."""
    flow, step = need_step(source.parts, edit.id)
    if flow.order == [step.name]:
        raise EditRefused(
            f"{step.name!r} is the only step of {flow.name!r}, which cannot do without.",
            where=f"state:{edit.id}",
            hint="Remove the composition instead.",
        )
    gone = {step.name, *all_ids(step.spec.get("branches"))}
    text = without_mentions(source.json, flow, gone)
    return text.delete(step.pointer)


def without_mentions(text: JsonText, flow: Flow, gone: set[str]) -> JsonText:
    """The composition with nobody naming these steps; places of steps stay where they are."""
    if word(flow.spec.get("output")) in gone:
        text = text.delete(("compositions", flow.name, "output"))
    for other in flow.steps.values():
        if other.name in gone:
            continue
        text = without_needs(text, other, gone)
        for field in AIMS:
            if other.aim(field) in gone:
                text = text.delete((*other.pointer, field))
    return text


def without_needs(text: JsonText, step: Step, gone: set[str]) -> JsonText:
    """The step no longer depends on these. A list with nothing in it goes altogether."""
    here = (*step.pointer, DEPENDS)
    value = text.get(here)
    if not isinstance(value, list):
        return text
    if value and all(isinstance(item, str) and item in gone for item in value):
        return text.delete(here)
    for index in reversed(range(len(value))):
        if isinstance(value[index], str) and value[index] in gone:
            text = text.delete((*here, index))
    return text


def rename(source: PackSource, edit: RenameState) -> JsonText:
    """The id and everything in the composition that names it, `${…}` among it."""
    flow, step = need_step(source.parts, edit.id)
    if edit.new_id == edit.id:
        return source.json
    new = free_name(flow, edit.new_id)
    text = source.json
    for pointer in list(_mentions(flow, step.name)):
        text = text.set(pointer, new)
    for pointer, words in list(_texts(flow)):
        followed = renamed(words, step.name, new)
        if followed != words:
            text = text.set(pointer, followed)
    return text.set((*step.pointer, "id"), new)


def _mentions(flow: Flow, name: str) -> Iterator[Pointer]:
    """Every place that names this step as a value."""
    if flow.spec.get("output") == name:
        yield ("compositions", flow.name, "output")
    for step in flow.steps.values():
        value = step.spec.get(DEPENDS)
        for index, item in enumerate(value if isinstance(value, list) else []):
            if item == name:
                yield (*step.pointer, DEPENDS, index)
        for field in AIMS:
            if step.aim(field) == name:
                yield (*step.pointer, field)


def _texts(flow: Flow) -> Iterator[tuple[Pointer, str]]:
    """Every text of the composition that may hold `${…}`, with its place."""
    for step in flow.steps.values():
        for field in _WITH_REFERENCES:
            if field in step.spec:
                yield from _inside((*step.pointer, field), step.spec[field])


def _inside(pointer: Pointer, value: Any) -> Iterator[tuple[Pointer, str]]:
    match value:
        case str():
            yield pointer, value
        case dict():
            for key, item in value.items():
                yield from _inside((*pointer, key), item)
        case list():
            for index, item in enumerate(value):
                yield from _inside((*pointer, index), item)


def renamed(words: str, old: str, new: str) -> str:
    """The text with every `${old…}` speaking of `new`."""
    return re.sub(rf"\$\{{{re.escape(old)}(?=[.}}])", lambda _: f"${{{new}", words)


def duplicate(source: PackSource, edit: DuplicateState) -> JsonText:
    """A copy right behind the original, with what it depends on and where it leads. Branches inside
    get a number behind their id, because ids hold for the whole composition."""
    flow, step = need_step(source.parts, edit.id)
    name = free_name(flow, edit.new_id)
    taken = {*all_ids(flow.spec.get("steps")), name}
    copy = {**with_free_ids(step.spec, taken), "id": name}
    *base, index = step.pointer
    return source.json.insert((*base, int(index) + 1), copy)


def with_free_ids(spec: Any, taken: set[str]) -> dict[str, Any]:
    """The step with new ids for the branches inside it; `taken` grows by them."""
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
    """The name, or the name with the first free number behind it: a step's id has no hyphen."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def set_entry(source: PackSource, edit: SetEntry) -> JsonText:
    """Steps run in the order in which they stand, so the first one is put there."""
    flow, step = need_step(source.parts, edit.id)
    led_to = {link.target for link in flow.links() if link.label or link.kind == "fork"}
    if step.name in led_to:
        raise EditRefused(
            f"{step.name!r} follows another step, so it cannot be the first.",
            where=f"state:{edit.id}",
            hint="Remove the arrows that lead to it first.",
        )
    return source.json.move(step.pointer, index=0)
