"""A run's log, read back: the answers in it as signals, and as a script that repeats the run.

The script is the one of `signalbox run --script`, with three things more: `inputs`, what the run
was started with, `beside`, what then stood beside the pack, and `expects`, the arrows it took and
how it ended. What a script cannot say is left
out: pauses, a cancel, events that somebody fired from outside, and words to an agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    CommandDone,
    Reply,
    Signal,
    TimeUp,
    ToolCall,
    ToolDone,
    Usage,
)

SCRIPT_LISTS = {
    "model.replied": "replies",
    "command.finished": "commands",
    "approval.given": "answers",
    "tool.returned": "tools",
}
"""Answering event → the list of the script that its answer stands in."""


CONTEXT_FIELDS = ("mode", "roles", "gates", "templates")
"""Fields of `run.started` that say what stood beside the pack: see `workflows.run_context`."""


class InvalidRecording(Exception):
    """These are not the events of one run, and the sentence says what is wrong with them."""


def read_recording(bodies: Iterable[object]) -> tuple[Event, ...]:
    """Events as they come over the wire (`Event.to_json`). Raises InvalidRecording.

    A whole log is numbered from 1 without a gap; it need not have come to an end.
    """
    log = []
    for number, body in enumerate(bodies, start=1):
        if not isinstance(body, Mapping):
            raise InvalidRecording(f"Event {number} is not an object.")
        n, at, type = body.get("n"), body.get("at"), body.get("type")
        if n != number or isinstance(n, bool):
            raise InvalidRecording(f"Where event {number} should be there is n = {n!r}.")
        if isinstance(at, bool) or not isinstance(at, int | float) or not isinstance(type, str):
            raise InvalidRecording(f"Event {number} lacks a time `at` or a `type`.")
        log.append(Event.from_json(body))
    if not log or log[0].type != "run.started":
        raise InvalidRecording("A recorded run begins with `run.started`.")
    return tuple(log)


def recorded_answer(event: Event) -> Signal | None:
    """The signal that this event records as the answer to an effect; None where it records none."""
    fields, at, key = event.fields, event.at, str(event.fields.get("key", ""))
    match event.type:
        case "model.replied":
            return Reply(
                at=at,
                key=key,
                text=fields.get("text", ""),
                structured=fields.get("structured"),
                tool_calls=tuple(ToolCall(**call) for call in fields.get("tool_calls") or ()),
                error=fields.get("error", ""),
                usage=Usage(**(fields.get("usage") or {})),
                provider=fields.get("provider", ""),
                model=fields.get("model", ""),
            )
        case "tool.returned":
            return ToolDone(at=at, key=key, **_given(fields, "result", "error", "diff"))
        case "command.finished":
            return CommandDone(at=at, key=key, **_given(fields, "exit", "stdout", "stderr"))
        case "approval.given":
            said = _given(fields, "approve", "event", "text", "structured")
            return Approve(at=at, key=key, **said)
        case "run.resumed" if key:
            return TimeUp(at=at, key=key)
        case _:
            return None


def script_of(events: Sequence[Event]) -> dict[str, Any]:
    """The script that repeats this run. An entry says its `turn` where the run had several things
    asked at once and the answer was not to the oldest of them."""
    script: dict[str, Any] = {"inputs": {}, "expects": expectation(events), "replies": []}
    run, turn = RunState(), 0
    for event in events:
        if event.type == "run.started":
            script["inputs"] = dict(event.fields.get("inputs") or {})
            beside = {name: event.fields[name] for name in CONTEXT_FIELDS if event.fields.get(name)}
            script |= {"beside": beside} if beside else {}
        if recorded_answer(event) is not None:
            turn += 1
        if event.type in SCRIPT_LISTS:
            entry = _entry(event)
            if len(run.pending) > 1:
                entry["turn"] = turn
            script.setdefault(SCRIPT_LISTS[event.type], []).append(entry)
        run = fold(run, event)
    return script


def expectation(events: Iterable[Event]) -> dict[str, Any]:
    """What a repetition has to show again: `transitions` in order, and the `status` at the end (""
    for a run that has none)."""
    transitions: list[str] = []
    status = ""
    for event in events:
        if event.type == "transition.taken":
            transitions.append(event.fields["transition"])
        if event.type == "run.finished":
            status = event.fields["status"]
    return {"transitions": transitions, "status": status}


def unmet_expectation(expects: Mapping[str, Any], events: Sequence[Event]) -> tuple[int, str]:
    """Where these events are not what a script expects: the event's number and one sentence;
    (0, "") where they are."""
    wanted = list(expects["transitions"])
    taken = [event for event in events if event.type == "transition.taken"]
    for number, event in enumerate(taken, start=1):
        arrow = event.fields["transition"]
        if number > len(wanted):
            return event.n, f"{arrow} was taken, where no transition was to follow."
        if arrow != wanted[number - 1]:
            return (
                event.n,
                f"{arrow} was taken as transition {number} instead of {wanted[number - 1]}.",
            )
    last = events[-1].n if events else 0
    if len(taken) < len(wanted):
        return last, f"Transition {len(taken) + 1}, {wanted[len(taken)]}, was not taken."
    status = expectation(events)["status"]
    if expects["status"] and status != expects["status"]:
        ended = f"it is {status}" if status else "it did not end"
        return last, f"The run was to end as {expects['status']}; {ended}."
    return 0, ""


def _entry(event: Event) -> dict[str, Any]:
    fields = event.fields
    at = {"state": fields.get("state", "")}
    match event.type:
        case "model.replied":
            said = _said(fields, "text", "structured", "tool_calls", "error")
            usage = {name: count for name, count in (fields.get("usage") or {}).items() if count}
            return {**at, **said, **({"usage": usage} if usage else {})}
        case "command.finished":
            return {**at, "exit": fields.get("exit", 0), **_said(fields, "stdout", "stderr")}
        case "approval.given":
            given = {"approve": fields.get("approve", True)}
            return {**at, **given, **_said(fields, "event", "text", "structured")}
        case _:
            return {**at, **_said(fields, "result", "error", "diff")}


def _said(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Those of the fields that say anything."""
    return {name: fields[name] for name in names if fields.get(name) not in (None, "", [])}


def _given(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: fields[name] for name in names if name in fields}
