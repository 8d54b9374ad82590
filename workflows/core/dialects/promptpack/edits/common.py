"""Small steps that several edits share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.format.references import Reference
from workflows.core.dialects.promptpack.format.templates import rename_placeholder
from workflows.core.pack.edits import EditRefused
from workflows.core.text.json.document import JsonText

STATES: Pointer = ("workflow", "states")


def need_state(parts: Parts, name: str) -> None:
    """Raises EditRefused where the workflow has no such state."""
    if name not in parts.states:
        raise EditRefused(f"There is no state {name!r} in this workflow.", where=f"state:{name}")


def follow(
    text: JsonText, mentions: Iterable[Reference], old: str, new: str, *, prefix: str = ""
) -> JsonText:
    """Let every mention say the new name. Keys come last, so that the pointers before stay true.

    `prefix` is what stands before the name inside placeholders ("" for fragments, which have
    several spellings).
    """
    keys: list[Reference] = []
    for mention in mentions:
        match mention.how:
            case "key":
                keys.append(mention)
            case "text" if prefix:
                words = text.get(mention.pointer)
                words = words.replace("{{" + prefix + old + "}}", "{{" + prefix + new + "}}")
                text = text.set(mention.pointer, words)
            case "text" | "prefixed":
                bare = mention.how == "text"
                words = rename_placeholder(text.get(mention.pointer), old, new, bare=bare)
                text = text.set(mention.pointer, words)
            case _:
                text = text.set(mention.pointer, new)
    for mention in keys:
        text = text.rename(mention.pointer, new)
    return text


def new_prompt(key: str, name: str = "") -> dict[str, Any]:
    """The smallest valid prompt, which asks its author to go on writing."""
    slug = re.sub(r"[^a-z0-9_-]+", "-", key.lower()).strip("-")
    title = name or re.sub(r"[-_]+", " ", key).strip().capitalize() or key
    return {
        "id": slug if slug[:1].isalpha() else f"prompt-{slug}".rstrip("-"),
        "name": title,
        "version": "1.0.0",
        "system_template": f"{title}: say here what has to be done and when it is done.",
    }
