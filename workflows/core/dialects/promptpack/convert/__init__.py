"""Conversion of PromptPack to and from the neutral machine. docs/convert.md has the mapping."""

from workflows.core.convert.conversion import Converter
from workflows.core.dialects.promptpack.convert.from_neutral import from_neutral
from workflows.core.dialects.promptpack.convert.to_neutral import to_neutral
from workflows.core.dialects.promptpack.format.workflow_tools import RESERVED

CONVERTER = Converter(
    to_neutral=to_neutral,
    from_neutral=from_neutral,
    knows=frozenset({"input", "slot", "fragment", "came"}),
    built_in=frozenset(RESERVED),
    why={
        "answer": "PromptPack has no structured answers: a state ends with an event.",
        "field": "An artifact is set by name, not by a field of an answer.",
        "condition": "The model names the event itself; no condition is evaluated.",
        "otherwise": "The model names the event itself; no event covers all other cases.",
        "attempts": "PromptPack does not retry a state.",
        "without": "In a prompt, an unset artifact is an empty text.",
        "kind": "PromptPack has one kind of state.",
    },
)

__all__ = ["CONVERTER"]
