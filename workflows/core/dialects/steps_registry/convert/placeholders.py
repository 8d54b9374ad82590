"""Conversion of prompt placeholders, in both directions (specs of the format, sections 4.6,
5.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workflows.core.convert.neutral import Ref, Text, joined, word
from workflows.core.dialects.steps_registry.format.prompt_paths import PLACEHOLDER
from workflows.core.dialects.steps_registry.format.vocabulary import RUNTIME_VARIABLES

PREVIOUS_SUMMARY = "previous_summary"


def read_text(text: str, slots: Mapping[str, str]) -> Text:
    """The prompt in pieces. `slots` are the variables with values of earlier steps."""
    pieces: list[str | Ref] = []
    cursor = 0
    for match in PLACEHOLDER.finditer(text):
        name = match[1]
        if name in slots:
            ref = Ref("slot", slots[name])
        elif name == PREVIOUS_SUMMARY:
            ref = Ref("came", "")
        else:
            ref = Ref("run" if name in RUNTIME_VARIABLES else "input", name)
        pieces += [text[cursor : match.start()], ref]
        cursor = match.end()
    return joined((*pieces, text[cursor:]))


def variable_of(step: str, key: str) -> str:
    """The prompt variable of the value `key` of a step."""
    return f"{step.replace('.', '_')}_{key}"


def write_text(text: Text, slot: Callable[[str], tuple[str, ...]]) -> str:
    """The prompt with variables. `slot` returns the variables of a slot: one for each step that
    fills it. References that a registry does not support become a word in brackets."""
    return "".join(piece if isinstance(piece, str) else _spelled(piece, slot) for piece in text)


def variables_in(text: Text, slot: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    """The variables of a prompt, each once, in order."""
    return tuple(dict.fromkeys(PLACEHOLDER.findall(write_text(text, slot))))


def _spelled(ref: Ref, slot: Callable[[str], tuple[str, ...]]) -> str:
    match ref.kind:
        case "input":
            return "{uv-" + word(ref.name) + "}"
        case "slot" if names := slot(ref.name):
            return "\n".join("{uv-" + name + "}" for name in names)
        case "came":
            return "{uv-" + PREVIOUS_SUMMARY + "}"
        case "run" if ref.name in RUNTIME_VARIABLES:
            return "{uv-" + ref.name + "}"
    return f"({ref.name})"
