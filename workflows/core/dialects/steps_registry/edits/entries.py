"""Edits of the entry."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.edits.common import set_at, step_of
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import EditRefused, SetEntry
from workflows.core.text.json.document import JsonText, Pointer
from workflows.core.text.tolerant import as_object


def set_entry(source: RegistrySource, edit: SetEntry) -> RegistrySource:
    """Make this step an entry. `key` is a verdict type; "" is the entry that this agent uses.

    An entry for the agent's verdict type wins over `entryStep` (section 4.2), so "" changes that
    one if it exists.
    """
    step = step_of(source, edit.id)
    if step.section:
        raise EditRefused(f"{step.id!r} is a section, so a run cannot start there.")
    mapping = source.value.get("entryStepMapping")
    keys = as_object(mapping)
    key = edit.key or (source.verdict if source.verdict in keys else "")
    if not key:
        return source.registry_edit(lambda text: _before_steps(text, "entryStep", step.id))
    pair = {"initial": step.id, "continuation": step.id}
    entry: Any = pair if source.generation == "B" else step.id
    if not isinstance(mapping, dict):
        mapped = {key: entry}
        return source.registry_edit(lambda text: _before_steps(text, "entryStepMapping", mapped))
    pointer: Pointer = ("entryStepMapping", key)
    if isinstance(mapping.get(key), dict):
        return source.registry_edit(lambda text: set_at(text, (*pointer, "initial"), step.id))
    return source.registry_edit(lambda text: set_at(text, pointer, entry))


def _before_steps(text: JsonText, key: str, value: Any) -> JsonText:
    if text.has((key,)) or not text.has(("steps",)):
        return text.set((key,), value)
    return text.insert((key,), value, before="steps")
