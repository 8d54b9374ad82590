"""Shared steps of edits: lookups that raise EditRefused, and changes of JSON in its style."""

from __future__ import annotations

import json
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step, StepTransition
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.text.json.document import JsonText, Pointer


def step_of(source: RegistrySource, id: str) -> Step:
    """The step. Raises EditRefused for an unknown id."""
    step = source.steps.get(id)
    if step is None:
        raise missing_element(f"state:{id}", kind="step")
    return step


def transition_of(source: RegistrySource, id: str) -> StepTransition:
    """The transition. Raises EditRefused for an unknown id."""
    start = id.split("|", 1)[0]
    candidates = [source.steps[start]] if start in source.steps else source.steps.values()
    for step in candidates:
        for transition in step.transitions:
            if transition.id == id:
                return transition
    raise missing_element(f"transition:{id}")


def free_id(source: RegistrySource, id: str) -> str:
    """The id. Raises EditRefused if it is empty, exists already or is not valid as a key."""
    if not id.strip() or "|" in id or any(ord(char) < 32 for char in id):
        raise EditRefused(f"{id!r} cannot be the id of a step.", hint="Use `initial.topic`.")
    steps = source.value.get("steps")
    if isinstance(steps, dict) and id in steps:
        raise EditRefused(f"There is already a step {id!r}.", where=f"state:{id}")
    return id


def set_at(text: JsonText, pointer: Pointer, value: Any) -> JsonText:
    """Set a value and create missing objects above it; an index beyond the end of a list appends
    to it."""
    parent = text.get(pointer[:-1]) if pointer and text.has(pointer[:-1]) else None
    if isinstance(parent, list) and str(pointer[-1]).isdigit() and int(pointer[-1]) >= len(parent):
        return text.insert((*pointer[:-1], len(parent)), value, index=len(parent))
    return text.put(pointer, value)


def change_at(source: RegistrySource, path: str, pointer: Pointer, value: Any) -> RegistrySource:
    """Set one value in one JSON file of the pack and create missing objects above it."""
    return source.edit(path, lambda text: set_at(text, pointer, value))


def dump(value: Any) -> bytes:
    """A new JSON file as upstream writes them: two spaces, raw characters, a final newline."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
