"""A run is its numbered events: what each of them changes.

Unknown types (a dialect's own, or those of a newer version) change nothing but the number, the time
and the notes that any event may carry (`memory`, `run_memory`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from workflows.core.engine.effects import Effect, effect_from_json
from workflows.core.engine.events import Event
from workflows.core.engine.run import Position, Run

ASKING = ("model.asked", "tool.called", "command.asked", "approval.asked", "run.waiting")
"""Events that carry a whole effect, and so make it pending."""

ANSWERING = ("model.replied", "tool.returned", "command.finished", "approval.given", "run.resumed")
"""Events that answer the effect whose `key` they carry."""

PATIENT = ("AskHuman", "Wait")
"""Effects that nothing is being done about: a run with only these pending is waiting."""


def fold_all(events: Iterable[Event], run: Run | None = None) -> Run:
    """The run after all these events, in order."""
    run = run or Run()
    for event in events:
        run = fold(run, event)
    return run


def fold(run: Run, event: Event) -> Run:
    """The run after one more event."""
    fields = event.fields
    run = replace(run, n=event.n, now=event.at)
    run = _kind(run, event.type, fields)
    run = _pending(run, event.type, fields)
    run = _notes(run, event.type, fields)
    return run if run.finished else replace(run, status=_status(run))


def pending_effects(run: Run) -> tuple[Effect, ...]:
    """What was asked for and not answered, oldest first: to be asked again after a restart."""
    return tuple(effect_from_json(effect) for effect in run.pending.values())


def _kind(run: Run, type: str, fields: Mapping[str, Any]) -> Run:
    match type:
        case "run.started":
            return replace(
                run, status="running", started_at=run.now, inputs=dict(fields.get("inputs") or {})
            )
        case "state.entered":
            return _entered(run, fields)
        case "state.left":
            return _left(run, fields)
        case "transition.taken":
            arrow = fields.get("transition", "")
            taken = {**run.taken, arrow: run.taken.get(arrow, 0) + 1}
            return replace(run, taken=taken, transitions=run.transitions + 1)
        case "model.asked":
            return replace(run, model_calls=run.model_calls + 1)
        case "model.replied":
            return _spent(run, fields.get("usage") or {})
        case "tool.called":
            return replace(run, tool_calls=run.tool_calls + 1)
        case "artifact.set":
            return _artifact(run, fields)
        case "run.paused":
            return _paused(run, fields)
        case "run.resumed" if "key" not in fields:
            return _resumed(run, fields)
        case "run.finished":
            return replace(
                run,
                status=fields["status"],
                reason=fields.get("reason", ""),
                pending={},
                held=(),
                kept={},
                stepping=False,
            )
        case _:
            return run


def _entered(run: Run, fields: Mapping[str, Any]) -> Run:
    state, id = fields["state"], fields["position"]
    visit = run.visits.get(state, 0) + 1
    new = Position(id=id, state=state, visit=visit, memory=dict(fields.get("memory") or {}))
    if any(position.id == id for position in run.positions):
        positions = tuple(new if position.id == id else position for position in run.positions)
        branches = run.branches
    else:
        positions = (*run.positions, new)
        parent = fields.get("parent", "")
        run = _nothing_pending_at(run, parent)
        branches = {**run.branches, parent: run.branches.get(parent, 0) + 1}
    return replace(run, positions=positions, branches=branches, visits={**run.visits, state: visit})


def _left(run: Run, fields: Mapping[str, Any]) -> Run:
    id = fields["position"]
    run = _let_go(run, id)
    if fields.get("joined"):
        run = replace(run, positions=tuple(place for place in run.positions if place.id != id))
    return _nothing_pending_at(run, id)


def _nothing_pending_at(run: Run, id: str) -> Run:
    pending = {key: item for key, item in run.pending.items() if item.get("position") != id}
    return replace(run, pending=pending)


def _spent(run: Run, usage: Mapping[str, Any]) -> Run:
    return replace(
        run,
        input_tokens=run.input_tokens + usage.get("input_tokens", 0),
        output_tokens=run.output_tokens + usage.get("output_tokens", 0),
        cost=run.cost + usage.get("cost", 0.0),
    )


def _artifact(run: Run, fields: Mapping[str, Any]) -> Run:
    name, value = fields["name"], fields.get("value")
    if fields.get("mode") == "append" and name in run.artifacts:
        value = _appended(run.artifacts[name], value)
    return replace(run, artifacts={**run.artifacts, name: value})


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


def _paused(run: Run, fields: Mapping[str, Any]) -> Run:
    run = replace(run, status="paused", stepping=False)
    id = fields.get("position")
    if id is None:
        return run
    run = _let_go(run, id)
    kept = {**run.kept, id: fields["effect"]} if "effect" in fields else run.kept
    return replace(run, held=(*run.held, id), kept=kept)


def _resumed(run: Run, fields: Mapping[str, Any]) -> Run:
    if fields.get("step"):
        return replace(_let_go(run, fields["position"]), status="running", stepping=True)
    return replace(run, status="running", held=(), kept={}, stepping=False)


def _let_go(run: Run, id: str) -> Run:
    """The position is no longer held."""
    if id not in run.held:
        return run
    held = tuple(other for other in run.held if other != id)
    return replace(run, held=held, kept={key: run.kept[key] for key in run.kept if key != id})


def _pending(run: Run, type: str, fields: Mapping[str, Any]) -> Run:
    key = str(fields.get("key", ""))
    if type in ANSWERING and key in run.pending:
        states = (*run.answered.get(type, ()), run.pending[key].get("state", ""))
        pending = {k: item for k, item in run.pending.items() if k != key}
        return replace(run, pending=pending, answered={**run.answered, type: states})
    if type in ASKING and "effect" in fields:
        run = _nothing_pending_at(run, fields["position"])
        pending = {**run.pending, key: fields["effect"]}
        return replace(run, asked=run.asked + 1, pending=pending)
    if type == "run.waiting" and key in run.pending and key not in run.left_to_people:
        left = tuple(other for other in run.left_to_people if other in run.pending)
        return replace(run, left_to_people=(*left, key))
    return run


def _notes(run: Run, type: str, fields: Mapping[str, Any]) -> Run:
    if fields.get("run_memory"):
        run = replace(run, memory={**run.memory, **fields["run_memory"]})
    if type == "state.entered" or not fields.get("memory"):
        return run
    id, notes = fields.get("position"), fields["memory"]
    return replace(
        run,
        positions=tuple(
            replace(place, memory={**place.memory, **notes}) if place.id == id else place
            for place in run.positions
        ),
    )


def _status(run: Run) -> Any:
    if run.status in ("new", "paused"):
        return run.status
    patient = [
        item["effect"] in PATIENT or key in run.left_to_people for key, item in run.pending.items()
    ]
    return "waiting" if patient and all(patient) else "running"
