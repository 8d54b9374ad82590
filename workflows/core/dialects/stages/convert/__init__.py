"""Conversion of stages to and from the neutral machine. docs/convert.md lists the mappings."""

from workflows.core.convert.conversion import Converter
from workflows.core.dialects.stages.convert.from_neutral import from_neutral
from workflows.core.dialects.stages.convert.to_neutral import to_neutral

CONVERTER = Converter(
    to_neutral=to_neutral,
    from_neutral=from_neutral,
    knows=frozenset({"input", "slot", "came", "state", "run"}),
    why={
        "visits": "A pipeline limits the visits of single stages, not of the whole run.",
        "tool calls": "A pipeline does not limit tool calls.",
        "seconds": "A pipeline does not limit time.",
        "tool": "A stage only names tools; the session defines them.",
        "fragment": "Stages have no shared texts, so the text is copied into each prompt.",
        "append": "A value of a stage replaces the previous one.",
        "type": "A slot has no type.",
        "role": "The prompt belongs to the stage and has no other name.",
        "kind": "There is one kind of stage.",
        "waits": "A pipeline continues automatically, without a question.",
        "on max visits": "A stage without a cap has no step for reaching it.",
    },
)

__all__ = ["CONVERTER"]
