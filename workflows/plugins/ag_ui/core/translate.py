"""Translation of a run's log to AG-UI events. One event of the log gives any number of them.

The result satisfies the order that AG-UI's clients verify: it begins with RUN_STARTED, each start
has its end, ids are unique, and nothing follows RUN_FINISHED or RUN_ERROR.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workflows.core.engine.events import Event, confirms_call
from workflows.core.engine.fold import fold, headline
from workflows.core.engine.people import act_of
from workflows.core.engine.result import run_outcome
from workflows.core.engine.run import RunState
from workflows.plugins.ag_ui.core.interrupts import interrupts_of
from workflows.plugins.ag_ui.core.live_text import (
    Live,
    Piece,
    ended,
    message_id,
    next_texts,
    rest_of_message,
)
from workflows.plugins.ag_ui.core.shared_state import Json, patch_of, shared_state

PROTOCOL = "1.0"
PREFIX = "signalbox."
COMMAND = "run_command"
"""Name of a command as a tool call."""
INTERNAL = ("effect", "sent", "memory", "run_memory")
"""Fields that a front end does not need: whole requests, and notes of programs."""
SILENT = ("prompt.logged", "model.asked", "artifact.set")
"""Events without a counterpart of their own. An artifact is part of the shared state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """The part of a stream that later events depend on. `run`: the run's id in Signalbox; `thread`
    and `name`: the ids of the conversation and the run for the front end."""

    run: str
    thread: str
    name: str
    state: RunState = field(default_factory=RunState)
    steps: Mapping[str, str] = field(default_factory=dict)
    """Position → name of its open step."""
    calls: tuple[tuple[str, str], ...] = ()
    """Unanswered tool calls in order, each as its place (see `_place`) and its id."""
    messages: Mapping[str, str] = field(default_factory=dict)
    """Position → id of its newest message."""
    live: Live = field(default_factory=dict)
    """Key of a model call → the part of its answer that the client has."""
    ended: bool = False

    def with_call(self, place: str, id: str) -> Translation:
        return replace(self, calls=(*self.calls, (place, id)))


def translate(now: Translation, event: Event) -> tuple[Translation, tuple[Json, ...]]:
    """The translation after one more event of the log, and the AG-UI events for it."""
    if now.ended:
        return now, ()
    before, after = now.state, fold(now.state, event)
    now = replace(now, state=after)
    if event.type == "run.started":
        return now, _timed(event, _started(now, event))
    now, found = _own(now, event)
    act = act_of(event.type, event.fields)
    if act:
        value = act.to_json(event.n)
        found.append({"type": "CUSTOM", "name": f"{PREFIX}person", "value": value})
    now, dropped = _without_dropped(now)
    found += dropped
    patch = patch_of(before, after)
    if patch:
        found.append({"type": "STATE_DELTA", "delta": patch})
    if event.type == "run.finished":
        now, end = _finished(now, event)
        found += end
    return now, _timed(event, found)


def translate_piece(now: Translation, piece: Piece) -> tuple[tuple[Translation, Json], ...]:
    """The AG-UI events for a piece of an answer that is being written, each with the translation
    after it. A structured answer is sent when it is complete."""
    effect = now.state.pending.get(piece.key, {})
    if now.ended or effect.get("effect") != "AskModel" or effect.get("schema"):
        return ()
    state = str(effect.get("state", ""))
    found = next_texts(now.live.get(piece.key), piece, run=now.run, state=state)
    return tuple((replace(now, live={**now.live, piece.key: live}), event) for event, live in found)


def interrupted(now: Translation) -> tuple[Translation, tuple[Json, ...]]:
    """End the stream with the open questions. The answers begin the next one."""
    now, found = _closed(now)
    outcome = {
        "type": "interrupt",
        "interrupts": interrupts_of(now.run, now.state, dict(now.calls)),
    }
    found.append({"type": "RUN_FINISHED", **_ids(now), "outcome": outcome})
    return now, _at(now.state.now, found)


def continued(now: Translation, parent: str = "") -> tuple[Translation, tuple[Json, ...]]:
    """Begin the stream that continues after an interrupt, with the shared state and the open steps.
    `parent`: the id of the run that was interrupted, if the front end named it."""
    steps = [{"type": "STEP_STARTED", "stepName": name} for name in now.steps.values()]
    start, *rest = _opening(now, {"run": now.run})
    if parent:
        start["parentRunId"] = parent
    return replace(now, messages={}), _at(now.state.now, [start, *rest, *steps])


def _closed(now: Translation) -> tuple[Translation, list[Json]]:
    """End all open messages and steps."""
    now, found = _without_dropped(replace(now, ended=True))
    for position in now.steps:
        now, left = _left(now, position)
        found += left
    return now, found


def _ids(now: Translation) -> Json:
    return {"threadId": now.thread, "runId": now.name}


def _without_dropped(now: Translation) -> tuple[Translation, list[Json]]:
    """End the messages of model calls that will not be answered."""
    dropped = [key for key in now.live if now.ended or key not in now.state.pending]
    open_ones = [key for key in dropped if now.live[key].sent is not None]
    live = {key: one for key, one in now.live.items() if key not in dropped}
    found = [ended(message_id(now.run, key, now.live[key])) for key in open_ones]
    return (replace(now, live=live) if dropped else now), found


def _timed(event: Event, found: list[Json]) -> tuple[Json, ...]:
    return _at(event.at, found)


def _at(seconds: float, found: list[Json]) -> tuple[Json, ...]:
    at = int(seconds * 1000)
    return tuple({"type": one["type"], "timestamp": at, **one} for one in found)


def _started(now: Translation, event: Event) -> list[Json]:
    return _opening(now, {"run": now.run, "driver": str(event.fields.get("driver", ""))})


def _opening(now: Translation, about: Json) -> list[Json]:
    return [
        {
            "type": "RUN_STARTED",
            **_ids(now),
            "protocolVersion": PROTOCOL,
            "metadata": {"signalbox": about},
        },
        {"type": "STATE_SNAPSHOT", "snapshot": shared_state(now.state)},
    ]


def _own(now: Translation, event: Event) -> tuple[Translation, list[Json]]:
    """The counterparts of an event other than the first and the last."""
    position = str(event.fields.get("position", ""))
    match event.type:
        case "state.entered":
            return _entered(now, event, position)
        case "state.left":
            return _left(now, position)
        case "model.replied":
            return _replied(now, event, position)
        case "tool.called" if confirms_call(event.type, event.fields):
            return now, []
        case "tool.asked" | "tool.called" | "command.asked":
            return _called(now, event, position)
        case "tool.returned" | "command.finished":
            return _returned(now, event)
        case "tool.refused":
            now, asked = _called(now, event, position)
            now, answered = _returned(now, event)
            return now, [*asked, *answered]
        case "run.finished":
            return now, []
        case _ if event.type in SILENT:
            return now, []
        case _:
            return now, [_custom(event)]


def _entered(now: Translation, event: Event, position: str) -> tuple[Translation, list[Json]]:
    """A step for the visit. Names of open steps are unique, so a state that is active twice gets
    its position."""
    now, found = _left(now, position)
    state = str(event.fields.get("state", ""))
    taken = now.steps.values()
    name = state if state not in taken else f"{state} ({position})"
    now = replace(now, steps={**now.steps, position: name})
    return now, [*found, {"type": "STEP_STARTED", "stepName": name}]


def _left(now: Translation, position: str) -> tuple[Translation, list[Json]]:
    if position not in now.steps:
        return now, []
    steps = dict(now.steps)
    name = steps.pop(position)
    return replace(now, steps=steps), [{"type": "STEP_FINISHED", "stepName": name}]


def _replied(now: Translation, event: Event, position: str) -> tuple[Translation, list[Json]]:
    fields = event.fields
    key, state = str(fields["key"]), str(fields.get("state", ""))
    live = now.live.get(key)
    found = _reasoning(f"{now.run}:{key}:reasoning", str(fields.get("reasoning", "")))
    text, is_json = str(fields.get("text", "")), False
    if not text and fields.get("structured") is not None:
        text, is_json = json.dumps(fields["structured"], ensure_ascii=False), True
    message = rest_of_message(now.run, key, state, live, text, is_json=is_json)
    if message:
        found += message
        now = replace(now, messages={**now.messages, position: message[-1]["messageId"]})
    now = replace(now, live={other: now.live[other] for other in now.live if other != key})
    if fields.get("error") or (fields.get("tool_calls") and not message):
        found.append(_custom(event))
    return now, found


def _reasoning(id: str, text: str) -> list[Json]:
    if not text:
        return []
    return [
        {"type": "REASONING_START", "messageId": id},
        {"type": "REASONING_MESSAGE_START", "messageId": id, "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": id, "delta": text},
        {"type": "REASONING_MESSAGE_END", "messageId": id},
        {"type": "REASONING_END", "messageId": id},
    ]


def _called(now: Translation, event: Event, position: str) -> tuple[Translation, list[Json]]:
    fields = event.fields
    id = f"{now.run}:{event.n}"
    if event.type == "command.asked":
        name = COMMAND
        arguments: Any = {key: fields[key] for key in ("command", "why") if fields.get(key)}
    else:
        name, arguments = str(fields.get("name", "")), fields.get("arguments") or {}
    start: Json = {"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name}
    if position in now.messages:
        start["parentMessageId"] = now.messages[position]
    delta = json.dumps(arguments, ensure_ascii=False)
    return now.with_call(_place(event), id), [
        start,
        {"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": delta},
        {"type": "TOOL_CALL_END", "toolCallId": id},
    ]


def _returned(now: Translation, event: Event) -> tuple[Translation, list[Json]]:
    """The result of the oldest unanswered call at its place."""
    place = _place(event)
    found = next((call for call in now.calls if call[0] == place), None)
    if found is None:
        return now, [_custom(event)]
    rest = list(now.calls)
    rest.remove(found)
    return replace(now, calls=tuple(rest)), [
        {
            "type": "TOOL_CALL_RESULT",
            "messageId": f"{now.run}:{event.n}:result",
            "toolCallId": found[1],
            "content": _result(event),
            "role": "tool",
        }
    ]


def _place(event: Event) -> str:
    """A call's key; for one inside a model's turn, which has none, its position."""
    fields = event.fields
    return str(fields.get("key") or f"at {fields.get('position', '')}")


def _result(event: Event) -> str:
    fields = event.fields
    if event.type == "command.finished":
        shown = {name: fields.get(name) for name in ("exit", "stdout", "stderr")}
        return json.dumps(shown, ensure_ascii=False)
    act = act_of(event.type, fields)
    if act and act.verb == "denied":
        return act.sentence
    return str(fields.get("error") or fields.get("result", ""))


def _custom(event: Event) -> Json:
    value = {name: value for name, value in event.fields.items() if name not in INTERNAL}
    return {"type": "CUSTOM", "name": f"{PREFIX}{event.type}", "value": value}


def _finished(now: Translation, event: Event) -> tuple[Translation, list[Json]]:
    now, found = _closed(now)
    status, reason = str(event.fields["status"]), headline(event.fields)
    ids = _ids(now)
    result = {"run": now.run, **run_outcome(now.state)}
    match status:
        case "completed" | "cancelled":
            outcome = {"type": "success" if status == "completed" else "cancelled"}
            found.append({"type": "RUN_FINISHED", **ids, "result": result, "outcome": outcome})
        case _:
            about = {"message": reason or status, "code": status}
            found.append({"type": "RUN_ERROR", **about, "metadata": {"signalbox": result}})
    return now, found
