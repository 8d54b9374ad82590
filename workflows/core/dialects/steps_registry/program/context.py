"""What the parts of a run are given: the pack and which reading of it holds, and an answer."""

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
    """A pack under a profile. `climpt` runs it as the Climpt does that its generation is for."""

    source: RegistrySource
    profile: str

    @property
    def climpt(self) -> bool:
        return self.profile == "climpt"

    @property
    def runs_as_1_13_15(self) -> bool:
        """As Climpt 1.13.15: one check after the answer, errors forgiven, iterations untold."""
        return self.climpt and self.source.generation == "S"

    @property
    def runs_as_1_14(self) -> bool:
        """As Climpt 1.14: a failed check before the model ends the run, attempts are counted."""
        return self.climpt and self.source.generation == "B"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back from the model: the object in it, None where there is none, and its text.

    `ended` says that the gate read an end of the run, `onward` where `closing` leads on to.
    """

    value: dict[str, Any] | None = None
    text: str = ""
    ended: bool = False
    onward: str = ""

    @property
    def action(self) -> Any:
        """Where closure steps of Climpt are read, and nowhere else (D12)."""
        return value_at(self.value, "next_action.action")

    def to_memory(self) -> dict[str, Any]:
        """For the memory of a position, while validators run."""
        return {
            "answer": self.value,
            "text": self.text,
            "ended": self.ended,
            "onward": self.onward,
        }


def answer_from_memory(memory: Mapping[str, Any]) -> Answer:
    """The answer that a position remembers."""
    value = memory.get("answer")
    return Answer(
        value=value if isinstance(value, dict) else None,
        text=str(memory.get("text", "")),
        ended=bool(memory.get("ended")),
        onward=str(memory.get("onward") or ""),
    )
