"""A prompt of its own for every new, copied or renamed state and step."""

from __future__ import annotations

import re
from typing import Any

from workflows.core.dialects.promptpack.edits import objects
from workflows.core.dialects.promptpack.edits.common import new_prompt
from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer
from workflows.core.dialects.promptpack.format.references import references
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import RenameObject
from workflows.core.pack.naming import numbered_name
from workflows.core.text.json.document import JsonText
from workflows.core.text.tolerant import as_object, as_str, indexed_objects


def is_used(parts: Parts, key: str) -> bool:
    """Return True if a state, a step or an agent has this prompt."""
    return next(references(parts, "prompt", key), None) is not None


def with_new_prompt(text: JsonText, parts: Parts, wanted: str, name: str = "") -> tuple[Any, str]:
    """The text with a prompt that nothing else uses, and its key. An unused prompt of the wanted
    key is taken as it is."""
    if wanted in parts.prompts and not is_used(parts, wanted):
        return text, wanted
    key = numbered_name(wanted, parts.prompts)
    return text.put(("prompts", key), new_prompt(key, name)), key


def with_copied_prompt(text: JsonText, parts: Parts, key: str, wanted: str) -> tuple[JsonText, str]:
    """The text with a copy of a prompt, and the copy's key. A missing prompt has no copy."""
    if key not in parts.prompts:
        return text, key
    prompts = text.get(("prompts",))
    fresh = numbered_name(wanted, prompts)
    return text.put(("prompts", fresh), copied(parts.prompts[key], key, fresh, prompts)), fresh


def copied(prompt: Object, old: str, new: str, prompts: Any) -> dict[str, Any]:
    """The prompt under another key. Ids of validators are unique in a pack, so they get a
    number."""
    copy = {**prompt, "id": new_prompt(new)["id"]}
    before = new_prompt(old)
    for field in ("name", "system_template"):
        if prompt.get(field) == before[field]:
            copy[field] = new_prompt(new)[field]
    if isinstance(prompt.get("validators"), list):
        copy["validators"] = _with_free_ids(prompt["validators"], _validator_ids(prompts))
    return copy


def _validator_ids(prompts: Any) -> set[str]:
    return {
        as_str(item.get("id"))
        for prompt in as_object(prompts).values()
        if isinstance(prompt, dict)
        for _, item in indexed_objects(prompt.get("validators"))
    }


def _with_free_ids(validators: list[Any], taken: set[str]) -> list[Any]:
    fresh = []
    for item in validators:
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            item = {**item, "id": numbered_name(item["id"], taken)}
            taken.add(item["id"])
        fresh.append(item)
    return fresh


def with_own_prompts(
    text: JsonText, parts: Parts, step: dict[str, Any]
) -> tuple[JsonText, dict[str, Any]]:
    """The text with copies of the prompts of a copied step and its branches, and the step that
    names them."""
    fresh = dict(step)
    if isinstance(fresh.get("prompt_task"), str):
        wanted = as_str(fresh.get("id")) or fresh["prompt_task"]
        text, fresh["prompt_task"] = with_copied_prompt(text, parts, fresh["prompt_task"], wanted)
    if isinstance(fresh.get("branches"), list):
        branches = []
        for item in fresh["branches"]:
            if isinstance(item, dict):
                text, item = with_own_prompts(text, parts, item)
            branches.append(item)
        fresh["branches"] = branches
    return text, fresh


def with_prompt_renamed(source: PackSource, user: Pointer, old: str, new: str) -> JsonText:
    """The pack with the prompt of a renamed state or step renamed too, if its key follows the old
    name and nothing else uses it. `user` is the pointer of the `prompt_task`."""
    parts, key = source.parts, source.json.get(user, "")
    if not isinstance(key, str) or key not in parts.prompts or not _follows(key, old):
        return source.json
    if [each.pointer for each in references(parts, "prompt", key)] != [user]:
        return source.json
    fresh = numbered_name(new, parts.prompts.keys() - {key})
    untouched = _is_new(parts.prompts[key], key)
    text = objects.rename(source, RenameObject(element=f"prompt:{key}", new_key=fresh))
    if untouched:
        for field, value in new_prompt(fresh).items():
            text = text.set(("prompts", fresh, field), value)
    return text


def _follows(key: str, name: str) -> bool:
    """Return True for the name itself, its form as a prompt id, and either with a number."""
    stem = re.sub(r"[-_]\d+$", "", key)
    return bool({key, stem} & {name, new_prompt(name)["id"]})


def _is_new(prompt: Object, key: str) -> bool:
    """Return True if the author has not written anything into the prompt yet."""
    return dict(prompt) == new_prompt(key)
