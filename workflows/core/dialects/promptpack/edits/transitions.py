"""Adding, removing and changing transitions: events, redirects of caps, and calls between
agents."""

from __future__ import annotations

from workflows.core.dialects.promptpack.edits.common import STATES, need_state
from workflows.core.dialects.promptpack.format.agent_states import agent_at, agent_ids
from workflows.core.dialects.promptpack.format.elements import StateTransition, find_transition
from workflows.core.dialects.promptpack.format.parts import ON_MAX_VISITS, Parts
from workflows.core.dialects.promptpack.graph.projection import delegates
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import (
    Connect,
    Disconnect,
    EditRefused,
    Relabel,
    Retarget,
    missing_element,
)
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import JsonText


def connect(source: PackSource, edit: Connect) -> JsonText:
    """Add an event to the source state, or, with the label on_max_visits, the redirect of its
    cap."""
    parts = source.parts
    if parts.workflow is None and not parts.members:
        return _new_workflow(source, edit)
    if parts.workflow is None or agent_at(parts, edit.source):
        return _delegate(source, _between_agents(parts, edit))
    need_state(parts, edit.source)
    need_state(parts, edit.target)
    if edit.label == ON_MAX_VISITS:
        return _redirect(source, edit)
    _need_free_event(parts, edit.source, edit.label)
    return _with_event(source.json, edit.source, edit.label, edit.target)


def _between_agents(parts: Parts, edit: Connect) -> Connect:
    """The same edit with the keys of the agents instead of their states."""
    ends = {"source": edit.source, "target": edit.target}
    keys = {end: agent_at(parts, state) or state for end, state in ends.items()}
    return Connect(source=keys["source"], target=keys["target"], label=edit.label)


def _with_event(text: JsonText, state: str, event: str, target: str) -> JsonText:
    here = (*STATES, state, "on_event")
    if isinstance(text.get(here), dict):
        return text.set((*here, event), target)
    return text.set(here, {event: target})


def _redirect(source: PackSource, edit: Connect) -> JsonText:
    if ON_MAX_VISITS in source.parts.states[edit.source]:
        raise EditRefused(
            f"State {edit.source!r} already has a redirect for its cap.",
            where=f"state:{edit.source}",
            hint="Change the target of the existing redirect instead.",
        )
    return source.json.set((*STATES, edit.source, ON_MAX_VISITS), edit.target)


def _need_free_event(parts: Parts, state: str, event: str) -> None:
    if not event.strip():
        raise EditRefused("A transition needs the name of an event.", where=f"state:{state}")
    events = parts.states[state].get("on_event")
    if isinstance(events, dict) and event in events:
        raise EditRefused(
            f"State {state!r} already has a transition for {event!r}, to {events[event]!r}.",
            where=f"state:{state}",
            hint="Choose another event, or change the target of that transition.",
        )


def _new_workflow(source: PackSource, edit: Connect) -> JsonText:
    """Create a workflow from two prompts and their first transition."""
    for key in (edit.source, edit.target):
        if key not in source.parts.prompts:
            raise missing_element(f"state:{key}", kind="prompt")
    if not edit.label.strip() or edit.label == ON_MAX_VISITS:
        raise EditRefused("The first transition needs the name of an event.")
    states: dict[str, Json] = {
        edit.source: {"prompt_task": edit.source, "on_event": {edit.label: edit.target}}
    }
    states.setdefault(edit.target, {"prompt_task": edit.target})
    return source.json.set(("workflow",), {"version": 1, "entry": edit.source, "states": states})


def _delegate(source: PackSource, edit: Connect) -> JsonText:
    """Let one agent call another: its prompt lists the other's key as a tool."""
    parts = source.parts
    for key in (edit.source, edit.target):
        if key not in parts.members:
            raise missing_element(f"state:{key}", kind="agent")
    if edit.source not in parts.prompts:
        raise EditRefused(f"Agent {edit.source!r} has no prompt, so it cannot list tools.")
    if edit.source == edit.target:
        raise EditRefused("An agent cannot call itself.", where=f"state:{edit.source}")
    if any(edit.target == name for _, name in delegates(parts, edit.source)):
        raise EditRefused(f"Agent {edit.source!r} can already call {edit.target!r}.")
    here = ("prompts", edit.source, "tools")
    value = source.json.get(here)
    if isinstance(value, list):
        return source.json.insert((*here, "-"), edit.target)
    return source.json.set(here, [edit.target])


def disconnect(source: PackSource, edit: Disconnect) -> JsonText:
    """Remove the event. An empty `on_event` stays: it marks an intended end."""
    transition = find_transition(source.parts, edit.transition)
    if transition is not None:
        return source.json.delete(transition.pointer)
    key, index, _ = _delegation(source.parts, edit.transition)
    return source.json.delete(("prompts", key, "tools", index))


def retarget(source: PackSource, edit: Retarget) -> JsonText:
    parts = source.parts
    transition = find_transition(parts, edit.transition)
    if transition is None:
        return _retarget_delegation(source, edit)
    target = transition.target if edit.target is None else edit.target
    if edit.target is not None:
        need_state(parts, edit.target)
    if edit.source is None or edit.source == transition.source:
        return source.json.set(transition.pointer, target)
    return _move_source(source, transition, edit.source, target)


def _move_source(
    source: PackSource, transition: StateTransition, begin: str, target: str
) -> JsonText:
    """The same transition from another source state."""
    need_state(source.parts, begin)
    if not transition.event:
        start = Connect(source=begin, target=target, label=ON_MAX_VISITS)
        return _redirect(source, start).delete(transition.pointer)
    _need_free_event(source.parts, begin, transition.event)
    text = source.json.delete(transition.pointer)
    return _with_event(text, begin, transition.event, target)


def _retarget_delegation(source: PackSource, edit: Retarget) -> JsonText:
    key, index, target = _delegation(source.parts, edit.transition)
    parts = source.parts
    begin, end = (
        agent_at(parts, state) or state if state is not None else None
        for state in (edit.source, edit.target)
    )
    if begin not in (None, key):
        text = disconnect(source, Disconnect(transition=edit.transition))
        moved = Connect(source=begin or key, target=end or target, label="")
        return _delegate(source.with_text(text), moved)
    if end not in parts.members:
        raise missing_element(f"agent:{end}")
    return source.json.set(("prompts", key, "tools", index), end)


def _delegation(parts: Parts, transition: str) -> tuple[str, int, str]:
    ids = agent_ids(parts)
    for key, id in ids.items():
        for index, name in delegates(parts, key):
            if transition == f"{id}|{name}|{ids[name]}":
                return key, index, name
    raise missing_element(f"transition:{transition}")


def relabel(source: PackSource, edit: Relabel) -> JsonText:
    """Change the event of a transition. Events belong to one state, so no other reference
    changes."""
    transition = find_transition(source.parts, edit.transition)
    if transition is None:
        _delegation(source.parts, edit.transition)
        raise EditRefused("This transition has no event: an agent calls another by its key.")
    if not transition.event:
        raise EditRefused(
            "The redirect of a cap has no event.",
            hint="Remove it and add a transition for an event instead.",
        )
    if edit.label == transition.event:
        return source.json
    if edit.label == ON_MAX_VISITS:
        raise EditRefused("An event cannot become the redirect of a cap. Add a redirect instead.")
    _need_free_event(source.parts, transition.source, edit.label)
    return source.json.rename(transition.pointer, edit.label)
