"""Conversion between placeholders of PromptPack and neutral ones (promptpack.md section 4.11)."""

from __future__ import annotations

import re
from collections.abc import Set

from workflows.core.convert.neutral import Ref, Text, joined, word
from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.format.templates import fragment_of

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ARTIFACT = "artifacts."
CONTEXT_VARIABLE = "workflow_context"


def read_text(template: str, parts: Parts, declared: Set[str]) -> Text:
    """The template in pieces. Unknown placeholders stay text."""
    pieces: list[str | Ref] = []
    cursor = 0
    for match in _PLACEHOLDER.finditer(template):
        ref = _ref(match[1], parts, declared)
        if ref is not None:
            pieces += [template[cursor : match.start()], ref]
            cursor = match.end()
    return joined((*pieces, template[cursor:]))


def _ref(name: str, parts: Parts, declared: Set[str]) -> Ref | None:
    fragment = fragment_of(name, parts, declared)
    if fragment:
        return Ref("fragment", fragment) if fragment in parts.fragments else None
    if name == CONTEXT_VARIABLE:
        return Ref("came", "")
    if name.startswith(ARTIFACT):
        return Ref("slot", name.removeprefix(ARTIFACT))
    return Ref("input", name) if _NAME.fullmatch(name) else None


def write_text(text: Text) -> str:
    """The text as a template. Values that PromptPack cannot fill in become a name in
    parentheses."""
    return "".join(piece if isinstance(piece, str) else _placeholder(piece) for piece in text)


def _placeholder(ref: Ref) -> str:
    match ref.kind:
        case "input":
            return "{{" + word(ref.name) + "}}"
        case "slot":
            return "{{" + ARTIFACT + word(ref.name) + "}}"
        case "fragment":
            return "{{fragments." + ref.name + "}}"
        case "came":
            return "{{" + CONTEXT_VARIABLE + "}}"
    return f"({ref.name})"
