"""Copying states, and pasting them into the same or another pack."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from workflows.core.dialects.promptpack.edits.common import STATES, need_state
from workflows.core.dialects.promptpack.edits.own_prompts import copied, is_used
from workflows.core.dialects.promptpack.format.parts import ON_MAX_VISITS, Object, Parts
from workflows.core.dialects.promptpack.format.templates import (
    declared_variables,
    fragment_of,
    placeholders,
    rename_placeholder,
)
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import EditRefused, Paste, missing_element
from workflows.core.pack.forms import Json
from workflows.core.pack.naming import numbered_name
from workflows.core.text.json.document import JsonText
from workflows.core.text.tolerant import as_object, as_object_map, as_str, as_str_list, as_str_map

SHARED = ("tools", "fragments", "compositions")


def copy(source: PackSource, states: tuple[str, ...]) -> dict[str, Any]:
    """These states with the prompts, tools, fragments and compositions that they use."""
    parts = source.parts
    if parts.workflow is None:
        for key in states:
            if key not in parts.prompts:
                raise missing_element(f"prompt:{key}")
        chosen: dict[str, Object] = {}
        prompts = {key: parts.prompts[key] for key in states}
    else:
        for name in states:
            need_state(parts, name)
        chosen = {name: parts.states[name] for name in states}
        tasks = {as_str(state.get("prompt_task")) for state in chosen.values()}
        prompts = {key: item for key, item in parts.prompts.items() if key in tasks}
    used = {as_str(state.get("composition")) for state in chosen.values()}
    compositions = {key: item for key, item in parts.compositions.items() if key in used}
    return {
        "dialect": "promptpack",
        "states": {name: dict(state) for name, state in chosen.items()},
        "prompts": {key: dict(item) for key, item in prompts.items()},
        **dependencies_of(parts, prompts),
        "compositions": {key: dict(item) for key, item in compositions.items()},
    }


def dependencies_of(parts: Parts, prompts: dict[str, Object]) -> dict[str, dict[str, Any]]:
    """The tools and fragments that these prompts use, by kind."""
    return {"tools": _tools(parts, prompts), "fragments": _fragments(parts, prompts)}


def _tools(parts: Parts, prompts: dict[str, Object]) -> dict[str, Any]:
    named = {name for prompt in prompts.values() for name in as_str_list(prompt.get("tools"))}
    return {key: dict(item) for key, item in parts.tools.items() if key in named}


def _fragments(parts: Parts, prompts: dict[str, Object]) -> dict[str, str]:
    """The fragments that these prompts use, including nested ones."""
    texts: dict[str, str] = {}
    waiting: list[tuple[str, Set[str]]] = [
        (text, declared_variables(parts.prompts[key]))
        for _, text, key in parts.templates
        if key in prompts
    ]
    while waiting:
        text, variables = waiting.pop()
        for item in placeholders(text):
            name = fragment_of(item, parts, variables)
            if name in parts.fragments and name not in texts:
                texts[name] = parts.fragments[name]
                waiting.append((parts.fragments[name], parts.variables))
    return texts


def paste(source: PackSource, edit: Paste) -> JsonText:
    """Insert the copied states with the objects they need. An object that already exists with the
    same content is reused, but a prompt only if nothing uses it. A name that is already used by
    another object gets a number."""
    fragment = edit.fragment
    if not isinstance(fragment, dict) or fragment.get("dialect") != "promptpack":
        raise EditRefused("The clipboard content is not from a PromptPack.")
    states, prompts = as_object_map(fragment.get("states")), as_object_map(fragment.get("prompts"))
    if not states and not prompts:
        raise EditRefused("The clipboard contains no states.")
    text, names = add_shared_objects(source, fragment)
    wanted = rewrite_prompts(fragment, names)
    text, tasks = merge_prompts(text, source.parts, wanted, always_new=not states)
    return _add_states(text, source, states, tasks, names["compositions"])


def add_shared_objects(
    source: PackSource, fragment: dict[str, Any]
) -> tuple[JsonText, dict[str, dict[str, str]]]:
    """The text with the fragment's shared objects, and the new key of each, by kind."""
    text, names = source.json, dict[str, dict[str, str]]()
    for kind in SHARED:
        here = source.parts.tree.get(kind)
        items = (
            as_str_map(fragment.get(kind))
            if kind == "fragments"
            else as_object_map(fragment.get(kind))
        )
        text, names[kind] = merge_members(text, kind, here, dict(items))
    return text, names


def rewrite_prompts(fragment: dict[str, Any], names: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The fragment's prompts with the new names of tools and fragments."""
    return {
        key: _rewrite_prompt(item, names)
        for key, item in as_object_map(fragment.get("prompts")).items()
    }


def merge_members(
    text: JsonText, kind: str, here: Any, items: dict[str, Any]
) -> tuple[JsonText, dict[str, str]]:
    """The text with these members in one of its maps, and the new key of each member."""
    members = dict(as_object(here))
    keys: dict[str, str] = {}
    for key, item in items.items():
        if key in members and members[key] == item:
            keys[key] = key
            continue
        keys[key] = numbered_name(key, members)
        members[keys[key]] = item
        text = text.put((kind, keys[key]), item)
    return text, keys


def merge_prompts(
    text: JsonText, parts: Parts, items: dict[str, Any], *, always_new: bool = False
) -> tuple[JsonText, dict[str, str]]:
    """The text with these prompts, and the new key of each. A prompt is reused only if it has the
    same content and nothing uses it, as after a cut."""
    prompts: dict[str, Any] = dict(parts.prompts)
    keys: dict[str, str] = {}
    for key, item in items.items():
        unused = prompts.get(key) == item and not is_used(parts, key)
        if unused and not always_new:
            keys[key] = key
            continue
        keys[key] = numbered_name(key, prompts)
        if keys[key] != key:
            item = copied(item, key, keys[key], prompts)
        prompts[keys[key]] = item
        text = text.put(("prompts", keys[key]), item)
    return text, keys


def _rewrite_prompt(prompt: Object, names: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The prompt with the new names of its tools and fragments."""
    fresh = dict(prompt)
    tools = names["tools"]
    if isinstance(fresh.get("tools"), list):
        fresh["tools"] = [
            tools.get(name, name) if isinstance(name, str) else name for name in fresh["tools"]
        ]
    template = fresh.get("system_template")
    if isinstance(template, str):
        variables = declared_variables(prompt)
        for old, new in names["fragments"].items():
            if old != new:
                template = rename_placeholder(template, old, new, bare=old not in variables)
        fresh["system_template"] = template
    return fresh


def _add_states(
    text: JsonText,
    source: PackSource,
    states: dict[str, Object],
    tasks: dict[str, str],
    compositions: dict[str, str],
) -> JsonText:
    taken = set(source.parts.states)
    ids: dict[str, str] = {}
    for name in states:
        ids[name] = numbered_name(name, taken)
        taken.add(ids[name])
    fresh: dict[str, Json] = {
        ids[name]: _rewrite_state(spec, ids, tasks, compositions) for name, spec in states.items()
    }
    if fresh and source.parts.workflow is None:
        entry = next(iter(fresh))
        return text.set(("workflow",), {"version": 1, "entry": entry, "states": fresh})
    for name, spec in fresh.items():
        text = text.put((*STATES, name), spec)
    return text


def _rewrite_state(
    spec: Object, ids: dict[str, str], tasks: dict[str, str], compositions: dict[str, str]
) -> dict[str, Any]:
    """One state with only the transitions to other copied states."""
    fresh = dict(spec)
    for field, names in (("prompt_task", tasks), ("composition", compositions)):
        if isinstance(fresh.get(field), str):
            fresh[field] = names.get(fresh[field], fresh[field])
    if "on_event" in fresh:
        events = as_str_map(fresh["on_event"])
        fresh["on_event"] = {event: ids[to] for event, to in events.items() if to in ids}
    if ON_MAX_VISITS in fresh:
        target = fresh.pop(ON_MAX_VISITS)
        if target in ids:
            fresh[ON_MAX_VISITS] = ids[target]
    return fresh
