"""Helpers that several edits share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.format.references import Reference
from workflows.core.dialects.promptpack.format.templates import rename_placeholder
from workflows.core.pack.edits import missing_element
from workflows.core.text.ascii_names import ascii_id
from workflows.core.text.json.document import JsonText

STATES: Pointer = ("workflow", "states")


def need_state(parts: Parts, name: str) -> None:
    """Raise EditRefused if the workflow has no such state."""
    if name not in parts.states:
        raise missing_element(f"state:{name}")


def follow(
    text: JsonText, mentions: Iterable[Reference], old: str, new: str, *, prefix: str = ""
) -> JsonText:
    """Change the name in every reference. Keys are renamed last, so that the pointers stay valid.

    `prefix` is the part of a placeholder before the name ("" for fragments, which have several
    spellings).
    """
    texts: dict[Pointer, str] = {}
    keys: dict[Pointer, str] = {}
    for mention in mentions:
        here = mention.pointer
        match mention.how:
            case "key":
                keys[here] = new
            case "text" if prefix:
                template = texts.get(here) or text.get(here)
                texts[here] = template.replace(
                    "{{" + prefix + old + "}}", "{{" + prefix + new + "}}"
                )
            case "text" | "prefixed":
                template = texts.get(here) or text.get(here)
                bare = mention.how == "text"
                texts[here] = rename_placeholder(template, old, new, bare=bare)
            case _:
                texts[here] = new
    return text.set_all(texts).rename_all(keys)


def new_prompt(key: str, name: str = "") -> dict[str, Any]:
    """The smallest valid prompt, with a text for the author to complete."""
    slug = ascii_id(key).lower()
    title = name or re.sub(r"[-_]+", " ", key).strip().capitalize() or key
    return {
        "id": slug if slug[:1].isalpha() else f"prompt-{slug}".rstrip("-"),
        "name": title,
        "version": "1.0.0",
        "system_template": f"{title}: describe the task here, and when it is done.",
    }
