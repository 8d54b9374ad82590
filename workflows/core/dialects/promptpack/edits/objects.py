"""Adding, removing and renaming what is not a box: prompts, tools, fragments, evals…"""

from __future__ import annotations

import re
from typing import Any

from workflows.core.dialects.promptpack.edits.common import follow, new_prompt
from workflows.core.dialects.promptpack.format.elements import IN_MAPS, LISTS, artifact_slots, spot
from workflows.core.dialects.promptpack.format.parts import Parts, Pointer, word
from workflows.core.dialects.promptpack.format.references import references
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import AddObject, EditRefused, RemoveObject, RenameObject
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText

ADDABLE = ("prompt", "tool", "fragment", "eval", "skill", "agent", "composition", "provider")
_ID = {"prompt": r"[a-z][a-z0-9_-]*", "tool": r"[a-zA-Z_][a-zA-Z0-9_]*"}
_ID_FIELD = {"prompt": "id", "tool": "name"}


def names(parts: Parts, kind: str) -> list[str]:
    """The keys of every object of this kind."""
    known: dict[str, list[str]] = {
        "prompt": list(parts.prompts),
        "tool": list(parts.tools),
        "fragment": list(parts.fragments),
        "agent": list(parts.members),
        "composition": list(parts.compositions),
        "skill": list(parts.skills),
        "provider": list(parts.providers),
        "artifact": list(parts.artifacts),
        "eval": [word(item.get("id")) for pointer, item in parts.evals if len(pointer) == 2],
    }
    return known.get(kind, [])


def add(source: PackSource, edit: AddObject) -> JsonText:
    """A new object that is valid from the start; `value` replaces what we would write."""
    if edit.kind not in ADDABLE:
        raise EditRefused(f"There is nothing called {edit.kind!r} that can be added to a pack.")
    require_free(names(source.parts, edit.kind), edit.key, edit.kind)
    value = _fresh(source.parts, edit.kind, edit.key) if edit.value is None else edit.value
    if edit.kind == "agent":
        return _add_agent(source, edit.key, value)
    if edit.kind in IN_MAPS:
        base, _ = IN_MAPS[edit.kind]
        return source.json.put((*base, edit.key), value)
    return _appended(source.json, LISTS[edit.kind], value)


def _appended(text: JsonText, base: Pointer, value: Any) -> JsonText:
    if isinstance(text.get(base), list):
        return text.insert((*base, "-"), value)
    return text.put(base, [value])


def _add_agent(source: PackSource, key: str, value: Any) -> JsonText:
    text = source.json
    if key not in source.parts.prompts:
        text = text.put(("prompts", key), new_prompt(key))
    if source.parts.agents is None:
        return text.set(("agents",), {"entry": key, "members": {key: value}})
    return text.put(("agents", "members", key), value)


def _fresh(parts: Parts, kind: str, key: str) -> Any:
    match kind:
        case "prompt":
            return new_prompt(key)
        case "tool":
            return {
                "name": re.sub(r"\W", "_", key),
                "description": f"Say here what {key} does and when to call it.",
                "parameters": {"type": "object", "properties": {}},
            }
        case "fragment":
            return f"Write here what every prompt with {{{{fragments.{key}}}}} shall say.".strip()
        case "eval":
            wanted = ["Write here what a reply has to contain."]
            settings = {"params": {"patterns": wanted}}
            return {"id": key, "type": "contains", "trigger": "every_turn", **settings}
        case "skill":
            return {
                "name": key,
                "description": "Say here what this skill is about.",
                "instructions": "Write here what the model shall know.",
            }
        case "provider":
            return {"key": key, "role": "llm"}
        case "composition":
            step = {"id": "first", "kind": "prompt", "prompt_task": next(iter(parts.prompts), key)}
            return {"version": 1, "steps": [{**step, "input": "${input}"}]}
    return {}


def remove(source: PackSource, edit: RemoveObject) -> JsonText:
    """The object alone goes. Who names it keeps doing so, and a finding says it."""
    return removed(source, edit.element)


def removed(source: PackSource, element: str) -> JsonText:
    """The pack without this element."""
    found = spot(source.parts, element)
    kind = element.partition(":")[0]
    if found is None or not source.has(found.pointer):
        raise EditRefused(f"There is no {element!r} in this pack.", where=element)
    if kind in ("pack", "state", "workflow"):
        raise EditRefused(f"A {kind} cannot be removed this way.", where=element)
    if kind == "agent" and len(source.parts.members) == 1:
        return source.json.delete(("agents",))
    if kind == "artifact":
        text = source.json
        for slot in artifact_slots(source.parts, element.partition(":")[2]):
            text = text.delete(slot)
        return text
    return source.json.delete(found.pointer)


def rename(source: PackSource, edit: RenameObject) -> JsonText:
    """Another key, and every mention follows it."""
    kind, _, old = edit.element.partition(":")
    kind = "prompt" if kind in ("agent", "state") else kind
    parts, new = source.parts, edit.new_key
    if old not in names(parts, kind) or kind == "skill":
        raise EditRefused(f"There is no {edit.element!r} to be renamed.", where=edit.element)
    if new == old:
        return source.json
    require_free(names(parts, kind), new, kind)
    if kind == "artifact":
        return follow(source.json, references(parts, kind, old), old, new, prefix="artifacts.")
    text = follow(source.json, references(parts, kind, old), old, new)
    return _renamed_itself(text, parts, kind, old, new)


def _renamed_itself(text: JsonText, parts: Parts, kind: str, old: str, new: str) -> JsonText:
    found = spot(parts, f"{kind}:{old}")
    if found is None:
        return text
    if kind == "eval":
        return text.set((*found.pointer, "id"), new)
    if kind == "provider":
        short = isinstance(text.get(found.pointer), str)
        return text.set(found.pointer if short else (*found.pointer, "key"), new)
    field = _ID_FIELD.get(kind)
    if field and text.get((*found.pointer, field)) == old and re.fullmatch(_ID[kind], new):
        text = text.set((*found.pointer, field), new)
    return text.rename(found.pointer, new)
