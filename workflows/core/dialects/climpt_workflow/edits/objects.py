"""Agents and labels."""

from __future__ import annotations

from workflows.core.dialects.climpt_workflow.edits.common import agent_references, with_label
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.edits import AddObject, EditRefused, RemoveObject, RenameObject
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText, Pointer
from workflows.core.text.tolerant import as_list


def add(source: WorkflowSource, edit: AddObject) -> WorkflowSource:
    """Add an agent, or a label for the first actionable phase."""
    parts = source.parts
    if edit.kind == "agent":
        require_free(parts.agents, edit.key, "agent")
        value = edit.value if isinstance(edit.value, dict) else None
        new = value or {"role": "validator", "outputPhases": {}}
        return source.edit(lambda text: text.put(("agents", edit.key), new))
    if edit.kind == "label":
        require_free(parts.labels, edit.key, "label")
        first = next((id for id, phase in parts.phases.items() if not phase.ends), "")
        phase = edit.value if isinstance(edit.value, str) else first
        return source.edit(lambda text: with_label(text, parts, edit.key, phase, ""))
    raise EditRefused(f"{edit.kind!r} cannot be added here.", where=edit.kind)


def remove(source: WorkflowSource, edit: RemoveObject) -> WorkflowSource:
    """Remove an agent, or a label with its declaration. References stay and become findings."""
    kind, _, key = edit.element.partition(":")
    if kind == "agent" and source.has(("agents", key)):
        return source.edit(lambda text: text.delete(("agents", key)))
    if kind == "label" and source.has(("labelMapping", key)):

        def change(text: JsonText) -> JsonText:
            spec = ("labels", key)
            text = text.delete(("labelMapping", key))
            return text.delete(spec) if text.has(spec) else text

        return source.edit(change)
    raise EditRefused(f"{edit.element!r} cannot be removed.", where=edit.element)


def rename(source: WorkflowSource, edit: RenameObject) -> WorkflowSource:
    """Rename an agent or a label and every value that names it."""
    kind, _, key = edit.element.partition(":")
    if kind == "agent" and source.has(("agents", key)):
        require_free(source.parts.agents, edit.new_key, "agent")
        references = list(agent_references(source.parts, key))
        return source.edit(lambda text: _renamed(text, ("agents", key), references, edit.new_key))
    if kind == "label" and source.has(("labelMapping", key)):
        require_free(source.parts.labels, edit.new_key, "label")

        def change(text: JsonText) -> JsonText:
            places: list[Pointer] = [
                ("prioritizer", "labels", index)
                for index, name in enumerate(as_list(text.get(("prioritizer", "labels"))))
                if name == key
            ]
            text = _renamed(text, ("labelMapping", key), places, edit.new_key)
            spec = ("labels", key)
            return text.rename(spec, edit.new_key) if text.has(spec) else text

        return source.edit(change)
    raise EditRefused(f"{edit.element!r} cannot be renamed.", where=edit.element)


def _renamed(text: JsonText, pointer: Pointer, references: list[Pointer], key: str) -> JsonText:
    for place in references:
        text = text.set(place, key)
    return text.rename(pointer, key)
