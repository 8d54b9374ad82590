"""Events: the numbered, recorded facts of a run. The state of a run is a fold over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

EventType: TypeAlias = Literal[
    "run.started",
    "state.entered",
    "prompt.logged",
    "model.asked",
    "model.replied",
    "tool.asked",
    "tool.called",
    "tool.returned",
    "tool.refused",
    "tool.allowed",
    "tool.revoked",
    "command.asked",
    "command.finished",
    "check.passed",
    "check.failed",
    "intent.read",
    "artifact.set",
    "approval.asked",
    "approval.given",
    "transition.taken",
    "state.left",
    "run.paused",
    "run.resumed",
    "run.breakpoints",
    "run.told",
    "run.fired",
    "effect.dropped",
    "effect.allowed",
    "effect.repeated",
    "run.waiting",
    "run.finished",
    "workspace.closed",
    "workspace.kept",
]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
"""The types that every dialect shares. A dialect may add its own, prefixed with its name and a
dot."""


def confirms_call(type: str, fields: Mapping[str, Any]) -> bool:
    """Return True if an event records the call of a tool that `tool.asked` requested. Other
    events of its type are requests too: of a model's own turn, or from before `tool.asked`."""
    return type == "tool.called" and "key" in fields and "effect" not in fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An event without number and time, as programs return it."""

    type: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A numbered event. `n` counts from 1 without a gap; `at` is seconds since 1970. `fields` are
    plain JSON values.

    On the wire: `{"n", "at", "type", **fields}`.
    """

    n: int
    at: float
    type: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"n": self.n, "at": self.at, "type": self.type, **self.fields}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Event:
        """The inverse of `to_json`."""
        rest = {key: value for key, value in body.items() if key not in ("n", "at", "type")}
        return cls(n=body["n"], at=body["at"], type=body["type"], fields=rest)
