"""Adding, removing and renaming objects that are not states: prompts, tools, fragments, evals…"""

from __future__ import annotations

import re
from typing import Any

from workflows.core.dialects.promptpack.edits.common import follow, new_prompt
from workflows.core.dialects.promptpack.format.elements import (
    LISTS,
    MAPS,
    artifact_slots,
    locate_element,
)
from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.format.references import references
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import (
    AddObject,
    EditRefused,
    RemoveObject,
    RenameObject,
    missing_element,
)
from workflows.core.pack.naming import require_free
from workflows.core.text.ascii_names import ascii_name
from workflows.core.text.json.document import JsonText
from workflows.core.text.tolerant import as_str

ADDABLE = ("prompt", "tool", "fragment", "eval", "skill", "agent", "composition", "provider")
_ID = {"prompt": r"[a-z][a-z0-9_-]*", "tool": r"[a-zA-Z_][a-zA-Z0-9_]*"}
_ID_FIELD = {"prompt": "id", "tool": "name"}


def object_keys(parts: Parts, kind: str) -> list[str]:
    """The keys of all objects of this kind."""
    keys: dict[str, list[str]] = {
        "prompt": list(parts.prompts),
        "tool": list(parts.tools),
        "fragment": list(parts.fragments),
        "agent": list(parts.members),
        "composition": list(parts.compositions),
        "skill": list(parts.skills),
        "provider": list(parts.providers),
        "artifact": list(parts.artifacts),
        "eval": [as_str(item.get("id")) for pointer, item in parts.evals if len(pointer) == 2],
    }
    return keys.get(kind, [])


def add(source: PackSource, edit: AddObject) -> JsonText:
    """Add a new object that is valid from the start; `value` replaces the default content."""
    if edit.kind not in ADDABLE:
        raise EditRefused(f"Objects of kind {edit.kind!r} cannot be added to a pack.")
    require_free(object_keys(source.parts, edit.kind), edit.key, edit.kind)
    value = _new_value(source.parts, edit.kind, edit.key) if edit.value is None else edit.value
    if edit.kind == "agent":
        return _add_agent(source, edit.key, value)
    if edit.kind in MAPS:
        base, _ = MAPS[edit.kind]
        return source.json.put((*base, edit.key), value)
    return _append(source.json, LISTS[edit.kind], value)


def _append(text: JsonText, base: Pointer, value: Any) -> JsonText:
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


def _new_value(parts: Parts, kind: str, key: str) -> Any:
    match kind:
        case "prompt":
            return new_prompt(key)
        case "tool":
            return {
                "name": ascii_name(key, "_"),
                "description": f"Describe what {key} does and when to call it.",
                "parameters": {"type": "object", "properties": {}},
            }
        case "fragment":
            return f"Write the text for prompts with {{{{fragments.{key}}}}} here.".strip()
        case "eval":
            wanted = ["Write the required text of a reply here."]
            settings = {"params": {"patterns": wanted}}
            return {"id": key, "type": "contains", "trigger": "every_turn", **settings}
        case "skill":
            return {
                "name": key,
                "description": "Describe this skill.",
                "instructions": "Write the instructions for the model here.",
            }
        case "provider":
            return {"key": key, "role": "llm"}
        case "composition":
            step = {"id": "first", "kind": "prompt", "prompt_task": next(iter(parts.prompts), key)}
            return {"version": 1, "steps": [{**step, "input": "${input}"}]}
    return {}


def remove(source: PackSource, edit: RemoveObject) -> JsonText:
    """Remove only the object. References to it stay and are reported as findings."""
    return remove_element(source, edit.element)


def remove_element(source: PackSource, element: str) -> JsonText:
    """The pack without this element."""
    location = locate_element(source.parts, element)
    kind = element.partition(":")[0]
    if location is None or not source.has(location.pointer):
        raise missing_element(element)
    if kind in ("pack", "state", "workflow"):
        raise EditRefused(f"A {kind} cannot be removed this way.", where=element)
    if kind == "agent" and len(source.parts.members) == 1:
        return source.json.delete(("agents",))
    if kind == "artifact":
        return source.json.delete_all(artifact_slots(source.parts, element.partition(":")[2]))
    return source.json.delete(location.pointer)


def rename(source: PackSource, edit: RenameObject) -> JsonText:
    """Rename the object and every reference to it."""
    kind, _, old = edit.element.partition(":")
    kind = "prompt" if kind in ("agent", "state") else kind
    parts, new = source.parts, edit.new_key
    if old not in object_keys(parts, kind) or kind == "skill":
        raise EditRefused(f"{edit.element!r} cannot be renamed.", where=edit.element)
    if new == old:
        return source.json
    require_free(object_keys(parts, kind), new, kind)
    if kind == "artifact":
        return follow(source.json, references(parts, kind, old), old, new, prefix="artifacts.")
    text = follow(source.json, references(parts, kind, old), old, new)
    return _rename_definition(text, parts, kind, old, new)


def _rename_definition(text: JsonText, parts: Parts, kind: str, old: str, new: str) -> JsonText:
    location = locate_element(parts, f"{kind}:{old}")
    if location is None:
        return text
    if kind == "eval":
        return text.set((*location.pointer, "id"), new)
    if kind == "provider":
        short = isinstance(text.get(location.pointer), str)
        return text.set(location.pointer if short else (*location.pointer, "key"), new)
    field = _ID_FIELD.get(kind)
    if field and text.get((*location.pointer, field)) == old and re.fullmatch(_ID[kind], new):
        text = text.set((*location.pointer, field), new)
    return text.rename(location.pointer, new)
