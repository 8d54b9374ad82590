"""What the model is told: the system prompt filled in, and the conversation so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.parts import Object, Parts, word
from workflows.core.dialects.promptpack.templates import (
    declared,
    defaults,
    placeholders,
    render,
    spoken,
)
from workflows.core.engine.effects import Message
from workflows.core.engine.run import Position, Run

OPENING = "input"
"""The run input that opens the conversation. It is an ordinary variable too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompting:
    """Fills in a pack's texts with a run's values."""

    parts: Parts
    promptkit: bool = False

    def system(self, run: Run, position: Position, prompt: Object) -> tuple[str, tuple[str, ...]]:
        """The system prompt, and the placeholders nothing filled. They stay as they are; PromptKit
        sends the whole raw template then."""
        template = word(prompt.get("system_template"))
        filled = render(template, self._texts(prompt, template), self._values(run, position))
        if filled.unresolved and self.promptkit:
            return template, filled.unresolved
        return filled.text, filled.unresolved

    def messages(self, run: Run, position: Position) -> tuple[Message, ...]:
        """The conversation of this stay. A fresh one opens with what the state before handed on,
        else with the run's input, else with a plain word to begin."""
        turns = position.memory.get("messages")
        if turns:
            return tuple(_message(turn) for turn in turns)
        opening = position.memory.get("context") or run.inputs.get(OPENING) or "Begin."
        return (Message(role="user", text=opening),)

    def _values(self, run: Run, position: Position) -> dict[str, str]:
        """What the run knows: its inputs, the artifacts, and what the state before handed on."""
        values = dict(run.inputs)
        values.setdefault("workflow_context", "")
        if position.memory.get("context"):
            values["workflow_context"] = position.memory["context"]
        if not self.promptkit:
            values.update({f"artifacts.{slot}": "" for slot in self.parts.artifacts})
        values.update({f"artifacts.{name}": spoken(item) for name, item in run.artifacts.items()})
        return values

    def _texts(self, prompt: Object, template: str) -> dict[str, str]:
        """The pack's own texts by placeholder: fragments over defaults, the run's values over both.
        PromptKit knows no fragments in a pack it loads."""
        texts = dict(defaults(prompt))
        if self.promptkit or not (self.parts.fragments and placeholders(template)):
            return texts
        variables = declared(prompt)
        for name, text in self.parts.fragments.items():
            texts[f"fragments.{name}"] = text
            texts[f"fragment:{name}"] = text
            if name not in variables:
                texts[name] = text
        return texts


def _message(turn: Any) -> Message:
    return Message(
        role=turn["role"],
        text=turn.get("text", ""),
        tool_calls=tuple(turn.get("tool_calls", ())),
        tool_call_id=turn.get("tool_call_id", ""),
    )
