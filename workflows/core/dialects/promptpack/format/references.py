"""References between the objects of a pack, used by renames, links and rules (promptpack.md section
8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.format.parts import ON_MAX_VISITS, Object, Parts, Pointer
from workflows.core.dialects.promptpack.format.templates import (
    declared_variables,
    fragment_of,
    placeholders,
)
from workflows.core.text.tolerant import (
    as_list,
    as_object_map,
    as_str,
    as_str_list,
    indexed_objects,
)

STATE_PARAMS = ("workflow_state_is", "workflow_transitioned_to", "spoke_in_state")
TOOL_LISTS = ("tools", "tool_names")
TOOL_FIELDS = ("tool", "tool_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One reference. `how` is its form: the name as a `value`, as the `key` of a member, or in a
    `text` with placeholders."""

    pointer: Pointer
    how: str = "value"


def references(parts: Parts, kind: str, name: str) -> Iterator[Reference]:
    """Every reference to the object of this kind and name, without its own definition."""
    match kind:
        case "state":
            yield from _to_state(parts, name)
        case "prompt" | "agent":
            yield from _to_prompt(parts, name)
        case "tool":
            yield from _to_tool(parts, name)
        case "fragment":
            yield from _to_fragment(parts, name)
        case "artifact":
            yield from _to_artifact(parts, name)
        case "composition":
            yield from _states_with(parts, "composition", name)
        case "eval":
            yield from _to_eval(parts, name)
        case "provider":
            yield from _to_provider(parts, name)


def _states_with(parts: Parts, field: str, name: str) -> Iterator[Reference]:
    for key, state in parts.states.items():
        if state.get(field) == name:
            yield Reference(pointer=("workflow", "states", key, field))


def _to_state(parts: Parts, name: str) -> Iterator[Reference]:
    if parts.entry == name:
        yield Reference(pointer=("workflow", "entry"))
    yield from transitions_into(parts, name)
    for key, member in parts.members.items():
        if member.get("state") == name:
            yield Reference(pointer=("agents", "members", key, "state"))
    for pointer, item in parts.evals:
        yield from _state_in_eval(pointer, item, name)


def transitions_into(parts: Parts, name: str) -> Iterator[Reference]:
    """Every event and every redirect that leads to this state."""
    for key, events in parts.events.items():
        for event, target in events.items():
            if target == name:
                yield Reference(pointer=("workflow", "states", key, "on_event", event))
    yield from _states_with(parts, ON_MAX_VISITS, name)


def _state_in_eval(pointer: Pointer, item: Object, name: str) -> Iterator[Reference]:
    params = item.get("params")
    if not isinstance(params, dict):
        return
    base = (*pointer, "params")
    if item.get("type") in STATE_PARAMS and params.get("state") == name:
        yield Reference(pointer=(*base, "state"))
    if item.get("type") == "workflow_transition_order":
        yield from _in_list((*base, "sequence"), params.get("sequence"), name)
    if item.get("type") == "workflow_tool_access":
        for index, rule in indexed_objects(params.get("rules")):
            if rule.get("state") == name:
                yield Reference(pointer=(*base, "rules", index, "state"))


def _in_list(base: Pointer, value: Any, name: str) -> Iterator[Reference]:
    for index, item in enumerate(as_list(value)):
        if item == name:
            yield Reference(pointer=(*base, index))


def _to_prompt(parts: Parts, name: str) -> Iterator[Reference]:
    yield from _states_with(parts, "prompt_task", name)
    if (parts.agents or {}).get("entry") == name:
        yield Reference(pointer=("agents", "entry"))
    if name in parts.members:
        yield Reference(pointer=("agents", "members", name), how="key")
        if name not in parts.tools:
            for key, prompt in parts.prompts.items():
                yield from _in_list(("prompts", key, "tools"), prompt.get("tools"), name)
    for pointer, step in parts.steps:
        if step.get("prompt_task") == name:
            yield Reference(pointer=(*pointer, "prompt_task"))


def _to_tool(parts: Parts, name: str) -> Iterator[Reference]:
    for key, prompt in parts.prompts.items():
        yield from _in_list(("prompts", key, "tools"), prompt.get("tools"), name)
        policy = prompt.get("tool_policy")
        if isinstance(policy, dict):
            where: Pointer = ("prompts", key, "tool_policy", "blocklist")
            yield from _in_list(where, policy.get("blocklist"), name)
    for pointer, step in parts.steps:
        if step.get("tool") == name:
            yield Reference(pointer=(*pointer, "tool"))
        yield from _in_list((*pointer, "tools"), step.get("tools"), name)
        termination = step.get("termination")
        if isinstance(termination, dict) and termination.get("tool_called") == name:
            yield Reference(pointer=(*pointer, "termination", "tool_called"))
    for pointer, item in parts.evals:
        yield from _tool_in_eval(pointer, item, name)


def _tool_in_eval(pointer: Pointer, item: Object, name: str) -> Iterator[Reference]:
    params, when = item.get("params"), item.get("when")
    if isinstance(when, dict) and when.get("tool_called") == name:
        yield Reference(pointer=(*pointer, "when", "tool_called"))
    if not isinstance(params, dict):
        return
    base = (*pointer, "params")
    for field in TOOL_FIELDS:
        if params.get(field) == name:
            yield Reference(pointer=(*base, field))
    lists = (*TOOL_LISTS, "sequence") if item.get("type") == "tool_call_sequence" else TOOL_LISTS
    for field in lists:
        yield from _in_list((*base, field), params.get(field), name)
    for index, rule in indexed_objects(params.get("rules")):
        yield from _in_list((*base, "rules", index, "allowed"), rule.get("allowed"), name)


def _to_fragment(parts: Parts, name: str) -> Iterator[Reference]:
    for pointer, text, prompt in parts.templates:
        variables = declared_variables(parts.prompts[prompt]) if prompt else parts.variables
        if any(fragment_of(item, parts, variables) == name for item in placeholders(text)):
            bare = name not in variables
            yield Reference(pointer=pointer, how="text" if bare else "prefixed")


def _to_artifact(parts: Parts, name: str) -> Iterator[Reference]:
    for key, state in parts.states.items():
        if name in as_object_map(state.get("artifacts")):
            yield Reference(pointer=("workflow", "states", key, "artifacts", name), how="key")
    for pointer, text, _ in parts.templates:
        if f"artifacts.{name}" in placeholders(text):
            yield Reference(pointer=pointer, how="text")


def _to_eval(parts: Parts, name: str) -> Iterator[Reference]:
    """References to an eval of the pack. An eval of a prompt with the same id overrides it
    there."""
    for pointer, item in parts.evals:
        if pointer[0] == "prompts" and item.get("id") == name:
            yield Reference(pointer=(*pointer, "id"))
    for pointer, step in parts.steps:
        modifiers = step.get("modifiers")
        if isinstance(modifiers, dict):
            yield from _in_list((*pointer, "modifiers", "eval"), modifiers.get("eval"), name)
    for pointer, governance in governances(parts):
        for index, review in indexed_objects(governance.get("reviews")):
            if review.get("eval") == name:
                yield Reference(pointer=(*pointer, "reviews", index, "eval"))
        for index, duty in indexed_objects(governance.get("obligations")):
            for at, control in indexed_objects(duty.get("controls")):
                if control.get("eval") == name:
                    where = (*pointer, "obligations", index, "controls", at, "eval")
                    yield Reference(pointer=where)


def governances(parts: Parts) -> Iterator[tuple[Pointer, Object]]:
    """Every `governance` object, with its pointer."""
    metadata = parts.tree.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("governance"), dict):
        yield ("metadata", "governance"), metadata["governance"]
    for key, member in parts.members.items():
        if isinstance(member.get("governance"), dict):
            yield ("agents", "members", key, "governance"), member["governance"]


def _to_provider(parts: Parts, name: str) -> Iterator[Reference]:
    for key, prompt in parts.prompts.items():
        if prompt.get("provider") == name:
            yield Reference(pointer=("prompts", key, "provider"))
    for pointer, step in parts.steps:
        if step.get("provider") == name:
            yield Reference(pointer=(*pointer, "provider"))


def used_tools(parts: Parts) -> set[str]:
    """Every tool that a prompt, step, policy or eval names."""
    names: set[str] = set()
    for prompt in parts.prompts.values():
        names.update(as_str_list(prompt.get("tools")))
    for _, step in parts.steps:
        names.update(as_str_list(step.get("tools")))
        names.add(as_str(step.get("tool")))
    return names
