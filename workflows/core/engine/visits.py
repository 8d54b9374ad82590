"""A run's log as the way it went: one stay per visit of a state, at every position of its own.

Branches overtake each other from one run to the next, and each of them still goes its own way; so a
way is told per position.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workflows.core.engine.events import Event

ANSWER_FIELDS: Mapping[str, tuple[str, ...]] = {
    "model.replied": ("text", "structured", "tool_calls", "error"),
    "tool.returned": ("name", "result", "error"),
    "command.finished": ("exit", "stdout", "stderr"),
    "approval.given": ("approve", "event", "text", "structured", "reason"),
    "check.passed": ("name", "check", "message"),
    "check.failed": ("name", "check", "message"),
    "intent.read": ("intent", "target"),
}
"""Events that say what was answered or found, and the fields of them that do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitAnswer:
    """One answer or finding. `what` are the fields that say anything."""

    n: int
    type: str
    what: Mapping[str, Any]

    @property
    def same_as(self) -> tuple[str, str]:
        """Equal where the same was said."""
        return self.type, json.dumps(self.what, sort_keys=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One move of a position: it enters a state, or takes an arrow. `to` is a state or an arrow."""

    n: int
    kind: str
    to: str
    target: str = ""
    label: str = ""


@dataclass(kw_only=True)
class Visit:
    """From entering a state until it is left. `visit` counts the stays of this position there."""

    position: str
    state: str
    visit: int
    n: int
    until: int
    turns: list[Move] = field(default_factory=list)
    said: list[VisitAnswer] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    @property
    def arrow(self) -> Move | None:
        """How it was left, None where it was not or where its branch joined."""
        return next((turn for turn in self.turns if turn.kind == "take"), None)


def visits_by_position(log: Iterable[Event]) -> dict[str, list[Visit]]:
    """Position → its stays in order."""
    found: dict[str, list[Visit]] = {}
    visits: Counter[tuple[str, str]] = Counter()
    for event in log:
        position = event.fields.get("position")
        if position is None:
            continue
        if event.type == "state.entered":
            state = event.fields["state"]
            visits[position, state] += 1
            stay = Visit(
                position=position,
                state=state,
                visit=visits[position, state],
                n=event.n,
                until=event.n,
                turns=[Move(n=event.n, kind="enter", to=state)],
            )
            found.setdefault(position, []).append(stay)
        elif position in found:
            _add(found[position][-1], event)
    return found


def _add(stay: Visit, event: Event) -> None:
    fields = event.fields
    stay.until = event.n
    if event.type in ANSWER_FIELDS:
        what = {
            name: _without_ids(fields[name])
            for name in ANSWER_FIELDS[event.type]
            if fields.get(name) not in (None, "", [])
        }
        stay.said.append(VisitAnswer(n=event.n, type=event.type, what=what))
    elif event.type == "prompt.logged":
        stay.prompts.append(str(fields.get("hash") or fields.get("text", "")))
    elif event.type == "transition.taken":
        turn = Move(
            n=event.n,
            kind="take",
            to=fields["transition"],
            target=fields.get("target", ""),
            label=fields.get("label", ""),
        )
        stay.turns.append(turn)


def _without_ids(value: Any) -> Any:
    """Calls of tools without the ids that a model gives them, which are others every time."""
    if not isinstance(value, list):
        return value
    return [
        {name: part for name, part in item.items() if name != "id"}
        if isinstance(item, Mapping) and "arguments" in item
        else item
        for item in value
    ]
