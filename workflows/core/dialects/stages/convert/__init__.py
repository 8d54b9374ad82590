"""Stages to and from the neutral machine. docs/convert.md says what maps to what."""

from workflows.core.convert.conversion import Converter
from workflows.core.dialects.stages.convert.from_neutral import from_neutral
from workflows.core.dialects.stages.convert.to_neutral import to_neutral

CONVERTER = Converter(
    to_neutral=to_neutral,
    from_neutral=from_neutral,
    knows=frozenset({"input", "slot", "came", "state", "run"}),
    why={
        "visits": "A pipeline bounds the visits of single stages, not of the whole run.",
        "tool calls": "A pipeline does not bound tool calls.",
        "seconds": "A pipeline does not bound time.",
        "tool": "A stage names tools; what they are is up to the session.",
        "fragment": "Stages have no texts that several prompts share: it is written out.",
        "append": "What a stage leaves behind replaces what was there.",
        "type": "A slot does not say what kind of value it holds.",
        "role": "The prompt is the stage's own and has no other name.",
        "kind": "There is one kind of stage.",
        "waits": "A pipeline goes on by itself; nobody is asked.",
        "on max visits": "Nothing says where a run goes from a stage that has no cap.",
    },
)

__all__ = ["CONVERTER"]
