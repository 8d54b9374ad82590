"""Adding, removing, renaming and copying states, and choosing the entry."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.edits import objects
from workflows.core.dialects.promptpack.edits.common import STATES, follow, need_state, new_prompt
from workflows.core.dialects.promptpack.edits.own_prompts import (
    with_copied_prompt,
    with_new_prompt,
    with_prompt_renamed,
)
from workflows.core.dialects.promptpack.format.agent_states import LEVEL, agent_at
from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.format.references import references, transitions_into
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import (
    AddState,
    DuplicateState,
    EditRefused,
    RemoveState,
    RenameObject,
    RenameState,
    SetEntry,
    missing_element,
)
from workflows.core.pack.forms import Json, palette_of
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText
from workflows.core.text.tolerant import as_str_list

STATE_PALETTE = palette_of(
    ("internal", "State", "Runs a prompt; the model picks the event.", "step"),
    ("hybrid", "Shared state", "The model or a person picks the event.", "step"),
    (
        "external",
        "Waiting state",
        "The run waits until a person or another system sends an event.",
        "wait",
    ),
    ("end", "End", "Runs a last prompt and completes the run.", "done"),
    (
        "composition",
        "Composition",
        "Runs a composition of the pack instead of a prompt.",
        "compose",
    ),
    (
        "agent",
        "Agent",
        "A prompt that other agents can call. For packs without a workflow.",
        "agent",
    ),
)


def add(source: PackSource, edit: AddState) -> JsonText:
    """Add a state that is valid from the start, with a prompt that no other state uses."""
    parts = source.parts
    if edit.kind == "agent":
        return _add_agent(source, edit)
    require_free(parts.states, edit.id, "state")
    text = source.json
    if edit.kind == "composition":
        state: Json = {
            "orchestration": "composition",
            "composition": _first_composition(parts),
            "on_event": {},
        }
    else:
        rest = _new_state(edit.kind)
        text, prompt = with_new_prompt(text, parts, edit.id, edit.name)
        state = {"prompt_task": prompt, **rest}
    if parts.workflow is None:
        first: Json = {"version": 1, "entry": edit.id, "states": {edit.id: state}}
        return text.set(("workflow",), first)
    return text.put((*STATES, edit.id), state)


def _new_state(kind: str) -> dict[str, Any]:
    match kind:
        case "" | "internal":
            return {"on_event": {}}
        case "hybrid" | "external":
            return {"orchestration": kind, "on_event": {}}
        case "end":
            return {"terminal": True}
    raise EditRefused(f"Unknown kind of state: {kind!r}.")


def _first_composition(parts: Parts) -> str:
    if not parts.compositions:
        raise EditRefused(
            "This pack has no composition for a state to run.",
            hint="Add one under Compositions first.",
        )
    return next(iter(parts.compositions))


def _with_prompt(text: JsonText, parts: Parts, edit: AddState) -> JsonText:
    if edit.id in parts.prompts:
        return text
    return text.put(("prompts", edit.id), new_prompt(edit.id, edit.name))


def _add_agent(source: PackSource, edit: AddState) -> JsonText:
    parts = source.parts
    if parts.workflow is not None:
        raise EditRefused(
            "Agents cannot be added to the canvas of a workflow.",
            hint="Add the agent under Agents in the outline.",
        )
    require_free(parts.members, edit.id, "agent")
    text = _with_prompt(source.json, parts, edit)
    if parts.agents is None:
        return text.set(("agents",), {"entry": edit.id, "members": {edit.id: {}}})
    return text.put(("agents", "members", edit.id), {})


def remove(source: PackSource, edit: RemoveState) -> JsonText:
    """Remove the state, every transition to it, and the `state` of agents that start there. Its
    prompt stays."""
    parts = source.parts
    if parts.workflow is None or agent_at(parts, edit.id):
        return _remove_without_workflow(source, agent_at(parts, edit.id) or edit.id)
    need_state(parts, edit.id)
    if len(parts.states) == 1:
        return source.json.delete(("workflow",))
    state = (*STATES, edit.id)
    gone = [
        mention.pointer
        for mention in transitions_into(parts, edit.id)
        if mention.pointer[:3] != state
    ]
    gone += [
        ("agents", "members", key, "state")
        for key, member in parts.members.items()
        if member.get("state") == edit.id
    ]
    text = source.json.delete_all([*gone, state])
    if parts.entry == edit.id:
        text = text.set(("workflow", "entry"), _next_entry(parts, edit.id))
    return text


def _next_entry(parts: Parts, gone: str) -> str:
    """The new entry: the first target of the removed entry, else the first remaining state."""
    after = [to for to in parts.events[gone].values() if to in parts.states and to != gone]
    left = [name for name in parts.states if name != gone]
    return (after or left)[0]


def _remove_without_workflow(source: PackSource, key: str) -> JsonText:
    parts = source.parts
    if key not in parts.members:
        return objects.remove_element(source, f"prompt:{key}")
    text = source.json
    for other, prompt in parts.prompts.items():
        tools = prompt.get("tools")
        if key not in parts.tools and key in as_str_list(tools):
            kept = [name for name in tools or () if name != key]
            text = text.set(("prompts", other, "tools"), kept)
    return objects.remove_element(source.with_text(text), f"agent:{key}")


def rename(source: PackSource, edit: RenameState) -> JsonText:
    """Rename the key of a state, and all references in entry, transitions, agents and evals. A
    prompt that is named after the state, and that only this state uses, is renamed too."""
    parts = source.parts
    agent = agent_at(parts, edit.id)
    if parts.workflow is None or agent:
        new_key = edit.new_id.removeprefix(f"{LEVEL}/") if parts.workflow else edit.new_id
        again = RenameObject(element=f"prompt:{agent or edit.id}", new_key=new_key)
        return objects.rename(source, again)
    need_state(parts, edit.id)
    if edit.new_id == edit.id:
        return source.json
    require_free(parts.states, edit.new_id, "state")
    text = follow(source.json, references(parts, "state", edit.id), edit.id, edit.new_id)
    text = text.rename((*STATES, edit.id), edit.new_id)
    task = (*STATES, edit.new_id, "prompt_task")
    return with_prompt_renamed(source.with_text(text), task, edit.id, edit.new_id)


def duplicate(source: PackSource, edit: DuplicateState) -> JsonText:
    """Insert a copy after the original, with a copy of its prompt. A transition from the original
    to itself becomes one from the copy to itself."""
    parts = source.parts
    agent = agent_at(parts, edit.id)
    if parts.workflow is None:
        return _duplicate_prompt(source, edit)
    if agent:
        new_id = edit.new_id.removeprefix(f"{LEVEL}/")
        return _duplicate_prompt(source, DuplicateState(id=agent, new_id=new_id))
    need_state(parts, edit.id)
    require_free(parts.states, edit.new_id, "state")
    copy = dict(parts.states[edit.id])
    if isinstance(copy.get("on_event"), dict):
        copy["on_event"] = {
            event: edit.new_id if to == edit.id else to for event, to in copy["on_event"].items()
        }
    text = source.json
    if isinstance(copy.get("prompt_task"), str):
        text, copy["prompt_task"] = with_copied_prompt(
            text, parts, copy["prompt_task"], edit.new_id
        )
    names = list(parts.states)
    after = names[names.index(edit.id) + 1 :]
    here = (*STATES, edit.new_id)
    return text.insert(here, copy, before=after[0] if after else None)


def _duplicate_prompt(source: PackSource, edit: DuplicateState) -> JsonText:
    parts = source.parts
    if edit.id not in parts.prompts:
        raise missing_element(f"prompt:{edit.id}")
    require_free(parts.prompts, edit.new_id, "prompt")
    copy = {**parts.prompts[edit.id], "id": new_prompt(edit.new_id)["id"]}
    text = source.json.set(("prompts", edit.new_id), copy)
    if edit.id in parts.members:
        text = text.set(("agents", "members", edit.new_id), dict(parts.members[edit.id]))
    return text


def set_entry(source: PackSource, edit: SetEntry) -> JsonText:
    """Set the entry of the workflow; in a pack of agents, the entry agent."""
    parts = source.parts
    agent = agent_at(parts, edit.id)
    if agent:
        return source.json.set(("agents", "entry"), agent)
    need_state(parts, edit.id)
    return source.json.set(("workflow", "entry"), edit.id)
