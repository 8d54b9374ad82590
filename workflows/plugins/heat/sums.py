"""Heat: the visits, seconds, tokens, cost and failures of each state, summed over runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.engine.active_clock import ACTIVE_CLOCK_EVENTS, ActiveClock
from workflows.core.engine.events import Event
from workflows.core.engine.people import act_of, is_denial

HEAT_EVENTS = (
    *ACTIVE_CLOCK_EVENTS,
    "state.entered",
    "state.left",
    "transition.taken",
    "model.asked",
    "model.replied",
    "tool.called",
    "tool.returned",
    "tool.refused",
    "command.finished",
    "check.failed",
)
"""Types of the events that `heat` reads."""


@dataclass(kw_only=True, slots=True)
class StateHeat:
    """Sums of one state. `seconds` are without pauses, `cost` is in USD. A state that several
    positions are in at the same time has the seconds of each."""

    state: str
    visits: int = 0
    seconds: float = 0.0
    model_calls: int = 0
    tool_calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    failures: int = 0


def add_run(sums: dict[str, StateHeat], log: Iterable[Event]) -> None:
    """Add the events of one run, in order, to the sums. A visit that has not ended lasts until the
    newest of these events."""
    open: dict[str, tuple[str, float]] = {}
    failed: dict[str, float] = {}
    requests: dict[str, str] = {}
    clock, now = ActiveClock(), 0.0

    def close(position: str) -> None:
        if position in open:
            state, since = open.pop(position)
            _of(sums, state).seconds += max(0.0, now - since)

    for event in log:
        fields, now = event.fields, clock.read(event)
        position = str(fields.get("position", ""))
        match event.type:
            case "state.entered":
                close(position)
                open[position] = (fields["state"], now)
                _of(sums, fields["state"]).visits += 1
            case "state.left":
                close(position)
            case "transition.taken" if open.get(position, ("",))[0] == fields.get("source"):
                close(position)
            case "run.finished":
                state, since = list(open.values())[-1] if open else ("", 0.0)
                # A failure in its last visit that was counted already is the reason for the end.
                if fields.get("status") == "failed" and state and failed.get(state, -1.0) < since:
                    _of(sums, state).failures += 1
                for each in list(open):
                    close(each)
            case _:
                # A pause names the request that has no answer, and not its state.
                state = str(fields.get("state") or requests.get(fields.get("unanswered", ""), ""))
                if state:
                    requests[str(fields.get("key", ""))] = state
                    _count(_of(sums, state), event)
                    if is_failure(event):
                        failed[state] = now
    for each in list(open):
        close(each)


def _of(sums: dict[str, StateHeat], state: str) -> StateHeat:
    return sums.setdefault(state, StateHeat(state=state))


def _count(sum: StateHeat, event: Event) -> None:
    fields = event.fields
    match event.type:
        case "model.asked":
            sum.model_calls += 1
        case "tool.called" if "key" not in fields:
            sum.tool_calls += 1
        case "tool.returned" if "key" in fields and not act_of(event.type, fields):
            sum.tool_calls += 1
        case "model.replied":
            usage: Mapping[str, Any] = fields.get("usage") or {}
            sum.tokens += int(usage.get("input_tokens") or 0)
            sum.tokens += int(usage.get("output_tokens") or 0)
            sum.cost += float(usage.get("cost") or 0.0)
    if is_failure(event):
        sum.failures += 1


def is_failure(event: Event) -> bool:
    """True for a failed call, command or check, and for a pause because of an unanswered request.
    A denied call was not made, so it did not fail.
    The story of a run in the browser counts the same."""
    fields = event.fields
    if is_denial(event.type, fields):
        return False
    match event.type:
        case "model.replied" | "tool.returned":
            return bool(fields.get("error"))
        case "command.finished":
            return bool(fields.get("exit"))
        case "run.paused":
            return bool(fields.get("unanswered"))
        case _:
            return event.type in ("check.failed", "tool.refused")
