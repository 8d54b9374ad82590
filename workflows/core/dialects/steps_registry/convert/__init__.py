"""A registry to and from the neutral machine. docs/convert.md says what maps to what."""

from workflows.core.convert.conversion import Converter
from workflows.core.dialects.steps_registry.convert.from_neutral import from_neutral
from workflows.core.dialects.steps_registry.convert.to_neutral import to_neutral

CONVERTER = Converter(
    to_neutral=to_neutral,
    from_neutral=from_neutral,
    knows=frozenset({"input", "slot", "came", "run"}),
    why={
        "on max visits": "A registry ends the run where its bound is reached.",
        "max": "A registry bounds the whole run, not the visits of one step.",
        "tool calls": "A registry bounds iterations and nothing else.",
        "seconds": "A registry bounds iterations and nothing else.",
        "tool": "A registry names tools; what they are is up to the host.",
        "fragment": "A registry has no texts that several prompts share: it is written out.",
        "append": "What a step hands over replaces what it handed over before.",
        "slot": "A registry does not say what kind of value a step hands over.",
        "attempts": "A step of a registry is not tried again after its answer is in.",
        "turns": "A step of a registry has no cap on its rounds.",
        "role": "A prompt of a registry belongs to one step and is called after it.",
        "waits": "A registry goes on by itself; nobody is asked.",
    },
)

__all__ = ["CONVERTER"]
