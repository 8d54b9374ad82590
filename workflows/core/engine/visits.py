"""A run's log as visits of states, in order, for each position.

Parallel branches interleave differently in every run, and each branch has its own order of visits.
Therefore visits are listed per position.
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
"""Types of events that record an answer or a finding → the fields of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitAnswer:
    """One answer or finding. `what` has its non-empty fields."""

    n: int
    type: str
    what: Mapping[str, Any]

    @property
    def identity(self) -> tuple[str, str]:
        """Equal for equal answers."""
        return self.type, json.dumps(self.what, sort_keys=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One move of a position: it enters a state or takes a transition. `to` is the id of either."""

    n: int
    kind: str
    to: str
    target: str = ""
    label: str = ""


@dataclass(kw_only=True)
class Visit:
    """One visit of a state. `visit` counts this position's visits of the state."""

    position: str
    state: str
    visit: int
    n: int
    until: int
    turns: list[Move] = field(default_factory=list)
    answers: list[VisitAnswer] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    @property
    def exit(self) -> Move | None:
        """The transition that left the state. None if it was not left, or its branch joined."""
        return next((turn for turn in self.turns if turn.kind == "take"), None)


def visits_by_position(log: Iterable[Event]) -> dict[str, list[Visit]]:
    """Position → its visits in order."""
    visits: dict[str, list[Visit]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for event in log:
        position = event.fields.get("position")
        if position is None:
            continue
        if event.type == "state.entered":
            state = event.fields["state"]
            counts[position, state] += 1
            visit = Visit(
                position=position,
                state=state,
                visit=counts[position, state],
                n=event.n,
                until=event.n,
                turns=[Move(n=event.n, kind="enter", to=state)],
            )
            visits.setdefault(position, []).append(visit)
        elif position in visits:
            _add(visits[position][-1], event)
    return visits


def _add(visit: Visit, event: Event) -> None:
    fields = event.fields
    visit.until = event.n
    if event.type in ANSWER_FIELDS:
        what = {
            name: _without_ids(fields[name])
            for name in ANSWER_FIELDS[event.type]
            if fields.get(name) not in (None, "", [])
        }
        visit.answers.append(VisitAnswer(n=event.n, type=event.type, what=what))
    elif event.type == "prompt.logged":
        visit.prompts.append(str(fields.get("hash") or fields.get("text", "")))
    elif event.type == "transition.taken":
        turn = Move(
            n=event.n,
            kind="take",
            to=fields["transition"],
            target=fields.get("target", ""),
            label=fields.get("label", ""),
        )
        visit.turns.append(turn)


def _without_ids(value: Any) -> Any:
    """Tool calls without the ids from the model, which differ in every run."""
    if not isinstance(value, list):
        return value
    return [
        {name: part for name, part in item.items() if name != "id"}
        if isinstance(item, Mapping) and "arguments" in item
        else item
        for item in value
    ]
