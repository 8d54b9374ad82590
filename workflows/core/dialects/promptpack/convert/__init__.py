"""PromptPack to and from the neutral machine. docs/convert.md says what maps to what."""

from workflows.core.convert.conversion import Converter
from workflows.core.dialects.promptpack.convert.from_neutral import from_neutral
from workflows.core.dialects.promptpack.convert.to_neutral import to_neutral

CONVERTER = Converter(
    to_neutral=to_neutral,
    from_neutral=from_neutral,
    knows=frozenset({"input", "slot", "fragment", "came"}),
    why={
        "answer": "PromptPack asks for no structured answer: a state ends with an event.",
        "field": "An artifact is set by name; there is no answer it could be a field of.",
        "condition": "The model names the event itself; nothing looks at an answer.",
        "otherwise": "The model names the event itself; there is none for all other cases.",
        "attempts": "PromptPack does not try a state again.",
        "without": "An artifact that nobody has set stands in a prompt as nothing.",
        "kind": "PromptPack has one kind of state.",
    },
)

__all__ = ["CONVERTER"]
