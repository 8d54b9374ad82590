"""A recorded log: its answers as signals, and a script that repeats the run.

The script is that of `signalbox run --script` with three more fields: `inputs`, the run's inputs;
`beside`, its context (`CONTEXT_FIELDS`); and `expects`, the transitions it took and its end. A
script has no pauses, no cancel, no external events and no messages to agents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold, fold_all
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
"""Answer event → the list of the script for its answer."""


CONTEXT_FIELDS = ("mode", "roles", "gates", "templates", "tools")
"""Fields of `run.started` with the context of the run: see `workflows.bindings.run_context`."""


APPROVAL_FIELDS = ("approve", "event", "text", "structured")


class InvalidRecording(Exception):
    """The events are not those of one run. The message has the reason."""


def read_recording(bodies: Iterable[object]) -> tuple[Event, ...]:
    """Read events in wire format (`Event.to_json`). Raises InvalidRecording.

    A log is numbered from 1 without a gap; it may be unfinished.
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


def recorded_answer(event: Event, *, called: bool = False) -> Signal | None:
    """The signal that this event records as the answer to an effect, or None. `called`: its tool
    was called, which the event before it records."""
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
                response_model=fields.get("response_model", ""),
                finish_reason=fields.get("finish_reason", ""),
                reasoning=fields.get("reasoning", ""),
                sent=tuple(fields.get("sent") or ()),
                warnings=tuple(fields.get("warnings") or ()),
            )
        case "tool.returned":
            return ToolDone(
                at=at, key=key, called=called, **_present(fields, "result", "error", "diff")
            )
        case "command.finished":
            return CommandDone(at=at, key=key, **_present(fields, "exit", "stdout", "stderr"))
        case "approval.given":
            return Approve(at=at, key=key, **_present(fields, *APPROVAL_FIELDS))
        case "run.resumed" if key:
            return TimeUp(at=at, key=key)
        case _:
            return None


def script_of(events: Sequence[Event]) -> dict[str, Any]:
    """The script that repeats this run. An entry has a `turn` if several effects were pending and
    the answer was not to the oldest of them."""
    script: dict[str, Any] = {"inputs": {}, "expects": expectation(events), "replies": []}
    run, turn = RunState(), 0
    for event in events:
        if event.type == "run.started":
            script["inputs"] = dict(event.fields.get("inputs") or {})
            context = {
                name: event.fields[name] for name in CONTEXT_FIELDS if event.fields.get(name)
            }
            script |= {"beside": context} if context else {}
        answers = str(event.fields.get("key", "")) in run.pending  # Not a result of the program.
        if answers and recorded_answer(event) is not None:
            turn += 1
        if answers and event.type in SCRIPT_LISTS:
            entry = _entry(event)
            if len(run.pending) > 1:
                entry["turn"] = turn
            script.setdefault(SCRIPT_LISTS[event.type], []).append(entry)
        run = fold(run, event)
    return script


def expectation(events: Iterable[Event]) -> dict[str, Any]:
    """The expected result of a repetition: `transitions` in order, and the `status` at the end (""
    if it did not end)."""
    transitions: list[str] = []
    status = ""
    for event in events:
        if event.type == "transition.taken":
            transitions.append(event.fields["transition"])
        if event.type == "run.finished":
            status = event.fields["status"]
    return {"transitions": transitions, "status": status}


def unmet_expectation(
    expects: Mapping[str, Any], events: Sequence[Event], left: int = 0
) -> tuple[int, str]:
    """The first event that differs from a script's expectation, as its number and a message; (0,
    "") if there is none. `left`: number of the script's answers that were not used."""
    taken = [event for event in events if event.type == "transition.taken"]
    n, why = _unmet_transitions(expects["transitions"], taken) if "transitions" in expects else _MET
    last = events[-1].n if events else 0
    if why:
        return n or last, why
    for sequence in expects.get("states", ()):
        targets = (event.fields["target"] for event in taken)
        missed = next((state for state in sequence if state not in targets), None)
        if missed is not None:
            return last, f"No transition led to {missed} in its turn."
    run = fold_all(events)
    wanted = expects.get("status", "")
    if wanted and run.status != wanted and not (expects.get("open") and not run.finished):
        return last, f"The run was to end as {wanted}; {_end(run)}."
    if expects.get("open") and not run.finished and left:
        return last, f"The run waits, and did not use {left} of the answers."
    for name, value in expects.get("artifacts", {}).items():
        if name not in run.artifacts:
            return last, f"The artifact {name} was not set."
        if run.artifacts[name] != value:
            setting = (one.n for one in reversed(events) if _sets(one, name))
            return next(setting, last), f"The artifact {name} has another value."
    return _MET


_MET = (0, "")


def _unmet_transitions(wanted: Sequence[str], taken: Sequence[Event]) -> tuple[int, str]:
    """As `unmet_expectation`; number 0 with a message is the last event."""
    for number, event in enumerate(taken, start=1):
        arrow = event.fields["transition"]
        if number > len(wanted):
            return event.n, f"{arrow} was taken, where no transition was to follow."
        if arrow != wanted[number - 1]:
            return (
                event.n,
                f"{arrow} was taken as transition {number} instead of {wanted[number - 1]}.",
            )
    if len(taken) < len(wanted):
        return 0, f"Transition {len(taken) + 1}, {wanted[len(taken)]}, was not taken."
    return _MET


def _end(run: RunState) -> str:
    if not run.finished:
        return "it did not end"
    return f"it is {run.status}" + (f" ({run.reason.rstrip('.')})" if run.reason else "")


def _sets(event: Event, name: str) -> bool:
    return event.type == "artifact.set" and event.fields.get("name") == name


def _entry(event: Event) -> dict[str, Any]:
    fields = event.fields
    at = {"state": fields.get("state", "")}
    match event.type:
        case "model.replied":
            reply = _non_empty(fields, "text", "structured", "tool_calls", "error")
            usage = {name: count for name, count in (fields.get("usage") or {}).items() if count}
            return {**at, **reply, **({"usage": usage} if usage else {})}
        case "command.finished":
            return {**at, "exit": fields.get("exit", 0), **_non_empty(fields, "stdout", "stderr")}
        case "approval.given":
            approval = {"approve": fields.get("approve", True)}
            return {**at, **approval, **_non_empty(fields, "event", "text", "structured")}
        case _:
            return {**at, **_non_empty(fields, "result", "error", "diff")}


def _non_empty(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The non-empty ones of these fields."""
    return {name: fields[name] for name in names if fields.get(name) not in (None, "", [])}


def _present(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: fields[name] for name in names if name in fields}
