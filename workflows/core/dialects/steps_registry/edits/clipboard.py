"""Copying and pasting of steps, with their schemas and prompts."""

from __future__ import annotations

import json
from typing import Any

from workflows.core.dialects.steps_registry.edits.common import set_at, step_of
from workflows.core.dialects.steps_registry.edits.schema import make_definition
from workflows.core.dialects.steps_registry.edits.states import (
    copied_schema,
    renamed_value,
    with_own_prompt,
)
from workflows.core.dialects.steps_registry.format.prompt_paths import existing_prompt, prompt_text
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    definition,
)
from workflows.core.dialects.steps_registry.schemas.resolve import resolve
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.copy_size import CopySize
from workflows.core.pack.edits import EditRefused, Paste
from workflows.core.pack.forms import Json
from workflows.core.text.tolerant import as_object

MARK = "steps_registry"


def copy(source: RegistrySource, states: tuple[str, ...]) -> Json:
    """These steps with their resolved answer schemas and their prompts. Raises EditRefused if they
    are too large together."""
    items: list[Json] = []
    schemas = _Schemas(source)
    size = CopySize()
    for id in states:
        step = step_of(source, id)
        item: dict[str, Any] = {"id": id, "step": step.value}
        schema, length = schemas.of(step)
        if schema is not None:
            item["schema"] = schema
        if (path := existing_prompt(source, step)) is not None:
            item["prompt"] = prompt_text(source, path)
            length += len(item["prompt"])
        size.add(length, step.element)
        items.append(item)
    return {"dialect": MARK, "generation": source.generation, "steps": items}


class _Schemas:
    """The resolved answer schemas of steps, each resolved once."""

    def __init__(self, source: RegistrySource) -> None:
        self._source = source
        self._kept: dict[SchemaLocation, tuple[Any, int]] = {}

    def of(self, step: Step) -> tuple[Any, int]:
        """The schema and its length as JSON; None and 0 without one."""
        try:
            location = definition(self._source, step)
        except SchemaProblem:
            location = None
        if location is None:
            return None, 0
        if location not in self._kept:
            self._kept[location] = self._resolved(location)
        return self._kept[location]

    def _resolved(self, location: SchemaLocation) -> tuple[Any, int]:
        try:
            schema = resolve(self._source, location, strict=False)
        except SchemaProblem:
            return None, 0
        return schema, len(json.dumps(schema))


def paste(source: RegistrySource, edit: Paste) -> RegistrySource:
    """Insert copied steps. Existing ids get a number; transitions to unknown steps are dropped."""
    fragment = edit.fragment
    items = as_object(fragment).get("steps")
    if not isinstance(fragment, dict) or fragment.get("dialect") != MARK:
        raise EditRefused("This was not copied from a steps registry.")
    if (fragment.get("generation") == "B") != (source.generation == "B"):
        raise EditRefused(
            "Steps of the 1.14 generation have other keys than older steps.",
            hint="Copy from a pack of the same generation.",
        )
    listed: list[Any] = list(items) if isinstance(items, list) else []
    entries = [item for item in listed if _fits(item)]
    if not entries:
        raise EditRefused("The copied data has no steps.")
    names = _names(source, [str(item["id"]) for item in entries])
    ids = {*source.steps, *names.values()}
    for item in entries:
        source = _paste_one(source, item, names, ids)
    return source


def _fits(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("step"), dict) and bool(item.get("id"))


def _names(source: RegistrySource, ids: list[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    taken = set(source.steps)
    for id in ids:
        new, number = id, 2
        while new in taken:
            new, number = f"{id}-{number}", number + 1
        names[id] = new
        taken.add(new)
    return names


def _paste_one(
    source: RegistrySource, item: dict[str, Any], names: dict[str, str], ids: set[str]
) -> RegistrySource:
    old, id = str(item["id"]), names[str(item["id"])]
    value = renamed_value(item["step"], old, id)
    rules = value.get("transitions")
    if isinstance(rules, dict):
        value["transitions"] = _rules(rules, names, ids)
    value, path = with_own_prompt(source, value, id)
    reference = value.pop("outputSchemaRef", None)
    source = source.registry_edit(lambda text: text.set(("steps", id), value))
    if isinstance(item.get("schema"), dict):
        source = make_definition(source, id, before="structuredGate")
        reference = source.steps[id].reference
        location = definition(source, source.steps[id])
        if location is not None:
            body = copied_schema(item["schema"], old, id)
            source = source.edit(location.path, lambda text: set_at(text, location.pointer, body))
    elif reference is not None:
        pointer = ("steps", id, "outputSchemaRef")
        source = source.registry_edit(lambda text: text.set(pointer, reference))
    if path and isinstance(item.get("prompt"), str) and path not in source.files:
        source = source.write({path: item["prompt"].encode()})
    return source


def _rules(rules: dict[str, Any], names: dict[str, str], ids: set[str]) -> dict[str, Any]:
    """Rules with renamed targets. Targets that are not in this pack are dropped."""

    def target(name: Any) -> Any:
        return names.get(name, name) if isinstance(name, str) else name

    kept: dict[str, Any] = {}
    for intent, rule in rules.items():
        if not isinstance(rule, dict):
            continue
        fresh = dict(rule)
        for key in ("target", "fallback"):
            if isinstance(fresh.get(key), str):
                fresh[key] = target(fresh[key])
                if fresh[key] not in ids:
                    del fresh[key]
        if isinstance(fresh.get("targets"), dict):
            moved = {value: target(name) for value, name in fresh["targets"].items()}
            fresh["targets"] = {v: name for v, name in moved.items() if name in ids}
            if not fresh["targets"]:
                continue
        if "target" in fresh or "targets" in fresh:
            kept[intent] = fresh
    return kept
