"""Conversion to and from the neutral machine. docs/convert.md lists the mapping."""

from workflows.core.convert.conversion import Converter
from workflows.core.dialects.steps_registry.convert.from_neutral import from_neutral
from workflows.core.dialects.steps_registry.convert.to_neutral import to_neutral

CONVERTER = Converter(
    to_neutral=to_neutral,
    from_neutral=from_neutral,
    knows=frozenset({"input", "slot", "came", "run"}),
    why={
        "keeps": "A registry hands over single fields of an answer, not all of it.",
        "field": "A registry hands over single fields of an answer, not all of it.",
        "on max visits": "A registry ends the run where its bound is reached.",
        "max": "A registry bounds the whole run, not the visits of one step.",
        "tool calls": "A registry bounds iterations and nothing else.",
        "seconds": "A registry bounds iterations and nothing else.",
        "tool": "A registry names tools; what they are is up to the host.",
        "fragment": "The text is copied into each prompt that shows it.",
        "append": "A value that is handed over replaces the earlier one.",
        "type": "A registry has no types for values that a step hands over.",
        "attempts": "A registry does not retry a step after its answer.",
        "turns": "A step of a registry has no cap on its rounds.",
        "role": "A prompt of a registry belongs to one step and has its name.",
        "waits": "A registry continues without asking a person.",
    },
)

__all__ = ["CONVERTER"]
