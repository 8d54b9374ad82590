"""The result of a run: its answer, the state in which it ended, and what its model calls cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from workflows.core.engine.active_clock import ACTIVE_CLOCK_EVENTS, ActiveClock
from workflows.core.engine.events import Event
from workflows.core.engine.fixes import fixes_of
from workflows.core.engine.fold import WORKSPACE_DIFF
from workflows.core.engine.people import act_of
from workflows.core.engine.run import RunState

TURN_EVENTS = (*ACTIVE_CLOCK_EVENTS, "model.asked", "model.replied")
"""Types of the events that `turns` reads. The log of a fork also needs the events at its fork
points and after them, see `clocked_numbers`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answered model call. `seconds` from its request to its answer, without pauses; `cost` in
    USD. `by`: the person who answered in place of the model. `judged`: it judged a check, and is
    not an answer of the run. `calls`: its reply calls tools, so it is not an answer yet."""

    n: int
    state: str
    provider: str
    model: str
    input_tokens: int
    output_tokens: int
    cost: float
    seconds: float
    error: str
    by: str = ""
    judged: bool = False
    calls: bool = False
    structured: Any = field(default=None, repr=False)

    def to_json(self) -> dict[str, Any]:
        names = ("structured", "judged", "calls")
        return {name: value for name, value in asdict(self).items() if name not in names}


def turns(events: Iterable[Event]) -> tuple[Turn, ...]:
    """The answered model calls in these events, in order. Other events are ignored."""
    asked: dict[str, tuple[Event, float]] = {}
    found: list[Turn] = []
    clock = ActiveClock()
    for event in events:
        fields, now = event.fields, clock.read(event)
        if event.type == "model.asked":
            asked[str(fields.get("key", ""))] = event, now
        elif event.type == "model.replied":
            request, since = asked.get(str(fields.get("key", "")), (None, now))
            usage = fields.get("usage") or {}
            found.append(
                Turn(
                    n=event.n,
                    state=str(fields.get("state", "")),
                    provider=str(fields.get("provider", "")),
                    model=str(fields.get("model", "")),
                    input_tokens=usage.get("input_tokens", 0),
                    output_tokens=usage.get("output_tokens", 0),
                    cost=usage.get("cost", 0.0),
                    seconds=round(now - since, 3),
                    error=str(fields.get("error") or ""),
                    by=str(fields.get("by") or ""),
                    judged=bool(request and request.fields.get("effect", {}).get("judge")),
                    calls=bool(fields.get("tool_calls")),
                    structured=fields.get("structured"),
                )
            )
    return tuple(found)


def people(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Acts of people, in order."""
    acts = ((event.n, act_of(event.type, event.fields)) for event in events)
    return [act.to_json(n) for n, act in acts if act]


def clocked_numbers(run: RunState) -> set[int]:
    """Numbers of the events that `turns` needs to leave out the time before a fork continued."""
    return {number for point in run.fork_points for number in (point, point + 1)}


def end_states(run: RunState) -> tuple[str, ...]:
    """The states in which the run is, each once; the ones it ended in if it is finished."""
    places = (place for place in run.positions if not run.forked(place.id))
    return tuple(dict.fromkeys(place.state for place in places))


def answer_of(run: RunState) -> str:
    """The answer of the run: the newest answer in the states in which it ended, or the one that it
    brought there; else the newest of all. "" without an answer. A reply that calls tools is an
    answer only of a completed run."""
    texts = []
    outputs, previous = run.outputs, run.previous
    if run.status != "completed":
        outputs = {state: run.outputs[state] for state in outputs if state not in run.calling}
        previous = {}
    for place in run.positions:
        if not run.forked(place.id):
            text = outputs.get(place.state) or previous.get(place.id, "")
            texts += [text] if text else []
    newest = list(outputs.values())[-1:]
    return "\n\n".join(dict.fromkeys(texts or newest))


def run_result(run: RunState, events: Iterable[Event]) -> dict[str, Any]:
    """The result as JSON. `events`: at least `TURN_EVENTS` and what people did. A run that has not
    ended has the result so far."""
    log = tuple(events)
    calls = turns(log)
    outcome = run_outcome(run)
    answers = [turn for turn in calls if not turn.error and not turn.judged]
    if run.status != "completed":
        answers = [turn for turn in answers if not turn.calls]
    here = [turn for turn in answers if turn.state in outcome["ends"]] or answers
    return {
        **outcome,
        "structured": here[-1].structured if here else None,
        "states": _sums(calls, lambda turn: {"state": turn.state}),
        "models": _sums(calls, lambda turn: {"provider": turn.provider, "model": turn.model}),
        "turns": [turn.to_json() for turn in calls],
        "people": people(log),
        "fixes": [fix.to_json() for fix in fixes_of(run)],
    }


def run_outcome(run: RunState) -> dict[str, Any]:
    """The part of the result that needs no events: how the run ended, what it answered and wrote,
    and its totals."""
    return {
        "status": run.status,
        "reason": run.reason,
        "ends": list(end_states(run)),
        "answer": answer_of(run),
        "artifacts": [
            {"name": name, "value": value}
            for name, value in run.artifacts.items()
            if name != WORKSPACE_DIFF
        ],
        "files": changed_files(str(run.artifacts.get(WORKSPACE_DIFF) or "")),
        "totals": {
            "seconds": round(run.active_seconds, 3),
            "waited_seconds": round(run.waited_seconds, 3),
            "visits": sum(run.visits.values()),
            "transitions": run.transitions,
            "model_calls": run.model_calls,
            "tool_calls": run.tool_calls,
            "input_tokens": run.input_tokens,
            "output_tokens": run.output_tokens,
            "cost": rounded(run.cost),
        },
    }


def rounded(cost: float) -> float:
    """A cost in USD without the error of adding binary fractions."""
    return round(cost, 9)


def changed_files(diff: str) -> list[str]:
    """Paths of the files in a unified diff, each once."""
    found: dict[str, None] = {}
    old = ""
    for line in diff.splitlines():
        if line.startswith("--- "):
            old = _path(line)
        elif line.startswith("+++ "):
            path = _path(line)
            found[old if path == "/dev/null" else path] = None
    return [path for path in found if path and path != "/dev/null"]


def _path(line: str) -> str:
    path = line[4:].partition("\t")[0].strip().strip('"')
    return path[2:] if path.startswith(("a/", "b/")) else path


def _sums(calls: Iterable[Turn], key: Any) -> list[dict[str, Any]]:
    """Calls, tokens, cost and seconds by key, in the order of their first call."""
    found: dict[str, dict[str, Any]] = {}
    empty: Mapping[str, Any] = {
        "calls": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost": 0.0,
        "seconds": 0.0,
    }
    for turn in calls:
        names = key(turn)
        row = found.setdefault(repr(names), {**names, **empty})
        row["calls"] += 1
        for name in ("input_tokens", "output_tokens", "cost", "seconds"):
            row[name] += getattr(turn, name)
    for row in found.values():
        row["cost"], row["seconds"] = rounded(row["cost"]), round(row["seconds"], 3)
    return list(found.values())
