"""The run context: pack, profile, and the last answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.steps_registry.program.texts import value_at
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.events import Draft

Drafts = tuple[Draft, ...]


@dataclass(frozen=True, slots=True)
class RegistryContext:
    """A pack and a profile. `climpt` behaves like the Climpt release of the pack's generation."""

    source: RegistrySource
    profile: str

    @property
    def climpt(self) -> bool:
        return self.profile == "climpt"

    @property
    def runs_as_1_13_15(self) -> bool:
        """Behaviour of Climpt 1.13.15: one check after the answer, errors ignored, verdicts without
        the iteration."""
        return self.climpt and self.source.generation == "S"

    @property
    def runs_as_1_14(self) -> bool:
        """Behaviour of Climpt 1.14: a failed check before the model call ends the run, attempts are
        counted."""
        return self.climpt and self.source.generation == "B"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A model's answer: its JSON object (None if there is none) and its text.

    `ended` is true if the gate ended the run. `onward` is the target of `closing`.
    """

    value: dict[str, Any] | None = None
    text: str = ""
    ended: bool = False
    onward: str = ""

    @property
    def action(self) -> Any:
        """The only field that Climpt reads at closure steps (D12)."""
        return value_at(self.value, "next_action.action")

    def to_memory(self) -> dict[str, Any]:
        """The answer for a position's memory while validators run."""
        return {
            "answer": self.value,
            "text": self.text,
            "ended": self.ended,
            "onward": self.onward,
        }


def answer_from_memory(memory: Mapping[str, Any]) -> Answer:
    """The answer in a position's memory."""
    value = memory.get("answer")
    return Answer(
        value=value if isinstance(value, dict) else None,
        text=str(memory.get("text", "")),
        ended=bool(memory.get("ended")),
        onward=str(memory.get("onward") or ""),
    )
