"""Phases: add, remove, rename, copy, and the labels at which they start."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.climpt_workflow.edits.common import (
    phase_of,
    phase_references,
    with_label,
)
from workflows.core.dialects.climpt_workflow.format.parts import PHASE_TYPES, Parts
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.edits import (
    AddState,
    DuplicateState,
    EditRefused,
    Paste,
    RemoveState,
    RenameState,
    SetEntry,
)
from workflows.core.pack.naming import numbered_name, require_free
from workflows.core.text.json.document import JsonText
from workflows.core.text.tolerant import as_object, as_object_map

DIALECT = "climpt_workflow"


def add(source: WorkflowSource, edit: AddState) -> WorkflowSource:
    """Add a phase with a label. An actionable one gets an agent of its own name."""
    parts = source.parts
    kind = edit.kind or "actionable"
    if kind not in PHASE_TYPES:
        names = ", ".join(PHASE_TYPES)
        raise EditRefused(f"{kind!r} is not a type of phase. Types: {names}.")
    _require_free(parts, edit.id)
    label = numbered_name(edit.id, parts.labels)

    def change(text: JsonText) -> JsonText:
        value: dict[str, Any] = {"type": kind}
        if kind == "actionable":
            agent = numbered_name(edit.id, parts.agents)
            value |= {"priority": _next_priority(parts), "agent": agent}
            text = text.put(("agents", agent), {"role": "validator", "outputPhases": {}})
        text = text.put(("phases", edit.id), value)
        return with_label(text, parts, label, edit.id, edit.name)

    return source.edit(change)


def _require_free(parts: Parts, id: str) -> None:
    require_free(parts.phases, id, "phase")
    if "|" in id:
        raise EditRefused(f"{id!r} cannot be the id of a phase.")


def _next_priority(parts: Parts) -> int:
    priorities = [phase.value.get("priority") for phase in parts.phases.values()]
    return 1 + max(
        (n for n in priorities if isinstance(n, int) and not isinstance(n, bool)), default=0
    )


def remove(source: WorkflowSource, edit: RemoveState) -> WorkflowSource:
    """Remove a phase, its labels, and the outcomes that lead to it. Its agent stays."""
    parts = source.parts
    phase_of(parts, edit.id)
    references = list(phase_references(parts, edit.id))
    named = _prioritized(parts)

    def change(text: JsonText) -> JsonText:
        for pointer in references:
            text = text.delete(pointer)
            if pointer[0] == "labelMapping" and pointer[1] not in named:
                spec = ("labels", pointer[1])
                text = text.delete(spec) if text.has(spec) else text
        return text.delete(("phases", edit.id))

    return source.edit(change)


def _prioritized(parts: Parts) -> frozenset[str]:
    """The labels of the prioritizer."""
    names = as_object(parts.value.get("prioritizer")).get("labels")
    return (
        frozenset(n for n in names if isinstance(n, str))
        if isinstance(names, list)
        else frozenset()
    )


def rename(source: WorkflowSource, edit: RenameState) -> WorkflowSource:
    """Rename a phase and every value that names it."""
    parts = source.parts
    phase_of(parts, edit.id)
    _require_free(parts, edit.new_id)
    references = list(phase_references(parts, edit.id))

    def change(text: JsonText) -> JsonText:
        for pointer in references:
            text = text.set(pointer, edit.new_id)
        return text.rename(("phases", edit.id), edit.new_id)

    return source.edit(change)


def duplicate(source: WorkflowSource, edit: DuplicateState) -> WorkflowSource:
    """Copy a phase. The copy has the same agent, so it has the same outcomes."""
    phase = phase_of(source.parts, edit.id)
    _require_free(source.parts, edit.new_id)
    return source.edit(lambda text: text.set(("phases", edit.new_id), dict(phase.value)))


def set_entry(source: WorkflowSource, edit: SetEntry) -> WorkflowSource:
    """Let a label (default: the id of the phase) lead to a phase."""
    phase = phase_of(source.parts, edit.id)
    if phase.type != "actionable":
        raise EditRefused(
            f"The {phase.type} phase {edit.id!r} starts no work.", where=f"state:{edit.id}"
        )
    label = edit.key or edit.id
    return source.edit(lambda text: with_label(text, source.parts, label, edit.id, ""))


def copy(source: WorkflowSource, states: tuple[str, ...]) -> dict[str, Any]:
    """These phases with their agents."""
    parts = source.parts
    chosen = {id: dict(phase_of(parts, id).value) for id in states}
    agents = {
        id: dict(agent.value)
        for id, agent in parts.agents.items()
        if any(value.get("agent") == id for value in chosen.values())
    }
    return {"dialect": DIALECT, "phases": chosen, "agents": agents}


def paste(source: WorkflowSource, edit: Paste) -> WorkflowSource:
    """Insert copied phases. An agent with the same name and content is shared."""
    fragment = edit.fragment
    if not isinstance(fragment, dict) or fragment.get("dialect") != DIALECT:
        raise EditRefused("The clipboard content is not from a Climpt workflow.")
    phases, agents = as_object_map(fragment.get("phases")), as_object_map(fragment.get("agents"))
    if not phases:
        raise EditRefused("The clipboard contains no phases.")
    parts = source.parts

    def change(text: JsonText) -> JsonText:
        names, taken = {}, set(parts.agents)
        for id, value in agents.items():
            existing = parts.agents.get(id)
            names[id] = id if existing and existing.value == value else numbered_name(id, taken)
            taken.add(names[id])
            if existing is None or names[id] != id:
                text = text.put(("agents", names[id]), value)
        used = set(parts.phases)
        for id, value in phases.items():
            name = numbered_name(id, used)
            used.add(name)
            agent = value.get("agent")
            copied = {**value, "agent": names[agent]} if agent in names else value
            text = text.put(("phases", name), copied)
        return text

    return source.edit(change)
