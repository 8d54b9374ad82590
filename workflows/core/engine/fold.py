"""The fold of a run: the change that each event makes to its state.

Unknown types (a dialect's own, or those of a newer version) change only the number, the time and
the memory that any event may contain (`memory`, `run_memory`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar, assert_never

from workflows.core.engine.effects import EFFECT_KINDS, Effect, effect_from_json
from workflows.core.engine.events import EVENT_TYPES, Event, EventType, confirms_call
from workflows.core.engine.run import FINISHED, Position, RunState, Status

REQUEST_EVENTS = (*(kind.request_event for kind in EFFECT_KINDS), "tool.called")
"""Types of the events that contain a whole effect, and so make it pending. `tool.called` does in
logs from before `tool.asked`."""

ANSWER_EVENTS = tuple(kind.answer_event for kind in EFFECT_KINDS)
"""Types of the events that answer the effect with their `key`."""

PASSIVE_EFFECTS = frozenset(
    kind.__name__ for kind in EFFECT_KINDS if kind.performer in ("person", "time")
)
"""Effects that no worker performs: a run with only these pending is waiting."""

WORKSPACE_DIFF = "workspace.diff"
"""The artifact that has the diff of what a run changed in its workspace."""

Change: TypeAlias = Callable[[RunState, Mapping[str, Any]], None]
Value = TypeVar("Value")


def fold_all(events: Iterable[Event], run: RunState | None = None) -> RunState:
    """The run after all these events, in order."""
    after = copy(run or RunState())
    for event in events:
        fold_into(after, event)
    return after


def fold(run: RunState, event: Event) -> RunState:
    """The run after one more event."""
    return fold_all((event,), run)


def pending_effects(run: RunState) -> tuple[Effect, ...]:
    """The requested and unanswered effects, oldest first. They are requested again after a
    restart."""
    return tuple(effect_from_json(effect) for effect in run.pending.values())


def _set(run: RunState, **changes: Any) -> None:
    """Change a copy. Maps and tuples are replaced, never changed: other runs share them."""
    vars(run).update(changes)


def fold_into(run: RunState, event: Event) -> None:
    """`fold`, by changing `run` itself: a private copy of the caller. Only this file changes such a
    copy, and only its fields: maps and tuples are replaced."""
    type, fields = event.type, event.fields
    state = vars(run)
    status, pending, left = state["status"], state["pending"], state["left_to_people"]
    if state["idle_since"] is not None and status != "paused":
        _end_idle(run, event.at)
    elif status == "waiting" and _waits_for_people(run):
        state["waited_seconds"] += max(0.0, event.at - state["now"])
    state["n"], state["now"] = event.n, event.at
    for change in _CHANGES.get(type, ()):
        change(run, fields)
    if "memory" in fields or "run_memory" in fields:
        _remember(run, type, fields)
    if event.n in state["fork_points"] or state["status"] in FINISHED:
        _begin_idle(run)
    if event.n in state["fork_points"]:
        state["allowed_tools"] = {}
    same = state["pending"] is pending and state["left_to_people"] is left
    if not (same and state["status"] is status) and state["status"] not in _DECIDED:
        state["status"] = _status(run)


def _started(run: RunState, fields: Mapping[str, Any]) -> None:
    _set(
        run,
        id=fields.get("run", ""),
        inputs=dict(fields.get("inputs") or {}),
        started_by=fields.get("started_by", ""),
        status="running",
        started_at=run.now,
        fork_points=fork_points(fields),
        breakpoints=tuple(fields.get("breakpoints") or ()),
    )


def fork_points(started: Mapping[str, Any]) -> tuple[int, ...]:
    """The fork points in the fields of a `run.started`: see `RunState.fork_points`."""
    origin = started.get("forked_from") or {}
    return (*origin.get("earlier", ()), origin["at"]) if origin else ()


def _taken(run: RunState, fields: Mapping[str, Any]) -> None:
    state, id = vars(run), fields.get("position", "")
    state["sources"] = {
        **run.sources,
        id: (*run.sources.get(id, ()), fields.get("source", "")),
    }
    _count_transition(run, fields.get("transition", ""))


def _count_transition(run: RunState, arrow: str) -> None:
    state = vars(run)
    state["taken"] = {**run.taken, arrow: run.taken.get(arrow, 0) + 1}
    state["transitions"] += 1


def _count_model_call(run: RunState, fields: Mapping[str, Any]) -> None:
    vars(run)["model_calls"] += 1


def _count_repetition(run: RunState, fields: Mapping[str, Any]) -> None:
    """A model is paid for each request; a repeated tool or command is the same call."""
    if "for" not in fields:
        _count_model_call(run, fields)
    vars(run)["idle_seconds"] += fields.get("idle", 0.0)


def _count_tool_request(run: RunState, fields: Mapping[str, Any]) -> None:
    vars(run)["tool_requests"] += 1


def _count_tool_call(run: RunState, fields: Mapping[str, Any]) -> None:
    vars(run)["tool_calls"] += 1
    if not confirms_call("tool.called", fields):
        _count_tool_request(run, fields)


def _set_breakpoints(run: RunState, fields: Mapping[str, Any]) -> None:
    _set(run, breakpoints=tuple(fields["ids"]), until=fields.get("until", ""))


def _finished(run: RunState, fields: Mapping[str, Any]) -> None:
    _end_idle(run, run.now)
    if arrow := fields.get("transition"):
        _count_transition(run, arrow)
    _set(
        run,
        status=fields["status"],
        reason=headline(fields),
        stepping=False,
        pending={},
        held=(),
        kept={},
    )


def headline(fields: Mapping[str, Any]) -> str:
    """The reason of the run's end, from the fields of its `run.finished`: the cause, then the
    program's sentence."""
    return " ".join(filter(None, (fields.get("cause"), fields.get("reason"))))


def _entered(run: RunState, fields: Mapping[str, Any]) -> None:
    after, state, id = vars(run), fields["state"], fields["position"]
    visit = run.visits.get(state, 0) + 1
    new = Position(id=id, state=state, visit=visit, memory=fields.get("memory") or {})
    if id in [position.id for position in run.positions]:
        positions = tuple([new if position.id == id else position for position in run.positions])
    else:
        positions = (*run.positions, new)
        parent = fields.get("parent", "")
        _clear_pending(run, parent)
        after["branches"] = {**run.branches, parent: run.branches.get(parent, 0) + 1}
    after["positions"] = positions
    after["visits"] = {**run.visits, state: visit}
    if id in run.sources:
        _hand_over(run, id, fields.get("parent", ""))


def _hand_over(run: RunState, id: str, parent: str) -> None:
    """The outputs of the states from which a position came are what it brings along."""
    state, sources = vars(run), dict(run.sources)
    texts = [run.outputs[source] for source in sources.pop(id) if source in run.outputs]
    state["sources"] = sources
    brought = "\n\n".join(texts) or run.previous.get(id) or run.previous.get(parent)
    if brought:
        state["previous"] = {**run.previous, id: brought}


def _left(run: RunState, fields: Mapping[str, Any]) -> None:
    id = fields["position"]
    _release(run, id)
    if fields.get("joined"):
        _set(run, positions=tuple(place for place in run.positions if place.id != id))
    _clear_pending(run, id)


def _clear_pending(run: RunState, id: str) -> None:
    if run.pending and any(item.get("position") == id for item in run.pending.values()):
        pending = {key: item for key, item in run.pending.items() if item.get("position") != id}
        _set(run, pending=pending)


def _replied(run: RunState, fields: Mapping[str, Any]) -> None:
    after, state, output = vars(run), fields.get("state", ""), output_of(fields)
    asked = run.pending.get(str(fields.get("key", "")), {})
    if run.problem or fields.get("error") or asked.get("schema"):
        after["problem"] = problem_of(asked, fields)
    if output and not asked.get("judge"):
        outputs = _without(run.outputs, state)
        outputs[state] = output
        after["outputs"] = outputs
        if bool(fields.get("tool_calls")) != (state in run.calling):
            after["calling"] = run.calling ^ {state}
    if usage := fields.get("usage"):
        after["input_tokens"] += usage.get("input_tokens", 0)
        after["output_tokens"] += usage.get("output_tokens", 0)
        after["cost"] += usage.get("cost", 0.0)


def _returned(run: RunState, fields: Mapping[str, Any]) -> None:
    """Keep the error of a call. A denial is no failure of the tool, and a call that takes a
    transition has no tool."""
    name = str(run.pending.get(str(fields.get("key", "")), {}).get("name", ""))
    if not name:
        return
    if fields.get("error") and not fields.get("by"):
        failed = _without(run.failed_tools, name)
        failed[name] = str(fields["error"])
        _set(run, failed_tools=failed)
    elif name in run.failed_tools:
        _set(run, failed_tools=_without(run.failed_tools, name))


def problem_of(asked: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """The fault of the reply to this request: its error, or that it is no JSON."""
    if reply.get("error"):
        return str(reply["error"])
    text = str(reply.get("text") or "").strip()
    if not asked.get("schema") or reply.get("structured") is not None or not text:
        return ""
    if reply.get("tool_calls"):
        return ""
    quoted = text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"
    return f"The answer in {asked.get('state', '')} is not the requested JSON: `{quoted}`"


MAX_QUOTED = 80
"""Maximum number of quoted characters of an answer that cannot be read."""


def _without(items: Mapping[str, Value], key: str) -> dict[str, Value]:
    """A copy without this key."""
    others = dict(items)
    others.pop(key, None)
    return others


def output_of(reply: Mapping[str, Any]) -> str:
    """The output in the fields of a `model.replied`: its text, else its value, and the arguments of
    its calls. "" for a failed call."""
    if reply.get("error"):
        return ""
    text, value = str(reply.get("text") or "").strip(), reply.get("structured")
    if not text and value is not None:
        text = _json(value)
    calls = [_json(call.get("arguments") or {}) for call in reply.get("tool_calls") or ()]
    return "\n\n".join([text, *calls] if text else calls)


_json = json.JSONEncoder(ensure_ascii=False, default=str).encode


def _set_artifact(run: RunState, fields: Mapping[str, Any]) -> None:
    name, value = fields["name"], fields.get("value")
    if fields.get("mode") == "append" and name in run.artifacts:
        value = _appended(run.artifacts[name], value)
    _set(run, artifacts={**run.artifacts, name: value})


def _close_workspace(run: RunState, fields: Mapping[str, Any]) -> None:
    if fields.get("diff"):
        _set(run, artifacts={**run.artifacts, WORKSPACE_DIFF: fields["diff"]})


def _appended(old: Any, new: Any) -> Any:
    match old, new:
        case str(), str():
            return old + new
        case list(), list():
            return [*old, *new]
        case list(), _:
            return [*old, new]
        case _:
            return new


def _paused(run: RunState, fields: Mapping[str, Any]) -> None:
    _set(run, status="paused", reason=fields.get("reason") or run.reason, stepping=False)
    _begin_idle(run)
    if "unanswered" in fields:
        _set(run, unanswered=(*run.unanswered, fields["unanswered"]))
        _set(run, connection_at_fault=fields.get("connection", ""))
    if run.until and fields.get("breakpoint") == run.until:
        _set(run, until="")
    id = fields.get("position")
    if id is None:
        return
    _release(run, id)
    _set(run, held=(*run.held, id))
    if "effect" in fields:
        _set(run, kept={**run.kept, id: fields["effect"]})


def _resumed(run: RunState, fields: Mapping[str, Any]) -> None:
    if "key" in fields:
        return
    _end_idle(run, run.now)
    _set(run, reason="", unanswered=(), connection_at_fault="")
    if fields.get("step"):
        _release(run, fields["position"])
        _set(run, status="running", stepping=True)
    else:
        _set(run, status="running", held=(), kept={}, stepping=False)


def _begin_idle(run: RunState) -> None:
    if run.idle_since is None:
        _set(run, idle_since=run.now)


def _end_idle(run: RunState, at: float) -> None:
    if run.idle_since is not None:
        idle = run.idle_seconds + max(0.0, at - run.idle_since)
        _set(run, idle_seconds=idle, idle_since=None)


def _release(run: RunState, id: str) -> None:
    """Release a held position."""
    if id in run.held:
        held = tuple(other for other in run.held if other != id)
        _set(run, held=held, kept=_without(run.kept, id))


def _request(run: RunState, fields: Mapping[str, Any]) -> None:
    """Make an effect pending. `run.waiting` has none if it leaves another effect to people."""
    if "effect" in fields:
        _clear_pending(run, fields["position"])
        state = vars(run)
        state["pending"] = {**run.pending, str(fields.get("key", "")): fields["effect"]}
        state["asked"] += 1


def _answered_by(type: EventType) -> Change:
    """The change of an answer event of this type: its effect is no longer pending."""

    def answer(run: RunState, fields: Mapping[str, Any]) -> None:
        key = str(fields.get("key", ""))
        if key in run.pending:
            state = vars(run)
            states = (*run.answered.get(type, ()), run.pending[key].get("state", ""))
            state["answered"] = {**run.answered, type: states}
            state["pending"] = _without(run.pending, key)

    return answer


def _drop(run: RunState, fields: Mapping[str, Any]) -> None:
    key = str(fields.get("key", ""))
    if key in run.pending:
        _set(run, pending=_without(run.pending, key))


def _await(run: RunState, fields: Mapping[str, Any]) -> None:
    key = str(fields.get("key", ""))
    if "effect" in fields:
        _request(run, fields)
    elif key in run.pending and key not in run.left_to_people:
        _leave_to_people(run, key, fields)


def _allow(run: RunState, fields: Mapping[str, Any]) -> None:
    key = str(fields.get("key", ""))
    if key in run.left_to_people:
        left = tuple(other for other in run.left_to_people if other != key)
        _set(run, left_to_people=left, allowed=(*run.allowed, key))


def _allow_tool(run: RunState, fields: Mapping[str, Any]) -> None:
    _set(run, allowed_tools={**run.allowed_tools, fields["name"]: str(fields.get("by", ""))})


def _revoke_tool(run: RunState, fields: Mapping[str, Any]) -> None:
    _set(run, allowed_tools=_without(run.allowed_tools, fields["name"]))


def _leave_to_people(run: RunState, key: str, fields: Mapping[str, Any]) -> None:
    left = tuple(other for other in run.left_to_people if other in run.pending)
    reasons = {other: run.left_reasons[other] for other in left if other in run.left_reasons}
    can_allow = tuple(other for other in run.can_allow if other in left)
    if fields.get("reason"):
        reasons[key] = fields["reason"]
    if fields.get("can_allow"):
        can_allow = (*can_allow, key)
    _set(run, left_to_people=(*left, key), left_reasons=reasons, can_allow=can_allow)


def _remember(run: RunState, type: str, fields: Mapping[str, Any]) -> None:
    if fields.get("run_memory"):
        _set(run, memory={**run.memory, **fields["run_memory"]})
    if type == "state.entered" or not fields.get("memory"):
        return
    id, memory = fields.get("position"), fields["memory"]
    positions = tuple(
        replace(place, memory={**place.memory, **memory}) if place.id == id else place
        for place in run.positions
    )
    _set(run, positions=positions)


def _waits_for_people(run: RunState) -> bool:
    """Return True if a request of this waiting run is not for a time."""
    return any(item["effect"] != "Wait" for item in run.pending.values())


def _status(run: RunState) -> Status:
    for key, item in run.pending.items():
        if item["effect"] not in PASSIVE_EFFECTS and key not in run.left_to_people:
            return "running"
    return "waiting" if run.pending else "running"


def _change_for(type: EventType) -> Change | None:
    """The change that an event of this type makes besides the pending effects and the memory, which
    any event may change. None if it makes no other."""
    match type:
        case "run.started":
            return _started
        case "state.entered":
            return _entered
        case "state.left":
            return _left
        case "transition.taken":
            return _taken
        case "model.asked":
            return _count_model_call
        case "model.replied":
            return _replied
        case "tool.asked":
            return _count_tool_request
        case "tool.called":
            return _count_tool_call
        case "artifact.set":
            return _set_artifact
        case "run.paused":
            return _paused
        case "run.breakpoints":
            return _set_breakpoints
        case "run.resumed":
            return _resumed
        case "run.finished":
            return _finished
        case "workspace.closed":
            return _close_workspace
        case "tool.returned":
            return _returned
        case "tool.refused":
            return None
        case "tool.allowed":
            return _allow_tool
        case "tool.revoked":
            return _revoke_tool
        case "command.asked" | "command.finished" | "effect.dropped":
            return None
        case "effect.allowed":
            return None
        case "effect.repeated":
            return _count_repetition
        case "approval.asked" | "approval.given" | "run.waiting" | "run.told" | "run.fired":
            return None
        case "prompt.logged" | "check.passed" | "check.failed" | "intent.read":
            return None
        case "workspace.kept":
            return None
        case _:
            assert_never(type)


def _pending_change_for(type: EventType) -> Change | None:
    """The change that an event of this type makes to the pending effects."""
    match type:
        case "run.waiting":
            return _await
        case "effect.dropped":
            return _drop
        case "effect.allowed":
            return _allow
        case _ if type in ANSWER_EVENTS:
            return _answered_by(type)
        case _:
            return _request if type in REQUEST_EVENTS else None


_CHANGES: Mapping[str, tuple[Change, ...]] = {
    type: tuple(filter(None, (_change_for(type), _pending_change_for(type))))
    for type in EVENT_TYPES
}
"""Type of an event → its changes, in order."""
_DECIDED = frozenset({"new", "paused", *FINISHED})
"""Statuses that only events change. Otherwise the pending effects decide the status."""
