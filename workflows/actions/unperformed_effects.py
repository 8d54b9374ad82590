"""Effects that no worker performs: events that leave them to people, and permission for one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from workflows.actions import run_log
from workflows.actions.run_log import Log
from workflows.core.engine.effects import AskHuman, Effect
from workflows.core.engine.events import Draft, Event
from workflows.core.engine.fold import pending_effects


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftToPerson:
    """A worker leaves an effect to people. `reason`: one sentence, "" if the effect is a question.
    `can_allow`: it is performed here once a person allows it."""

    reason: str = ""
    can_allow: bool = False


def leave(log: Log, people: Mapping[str, LeftToPerson]) -> None:
    """Record the reasons of these effects, by key. Questions to people have their own event."""
    if log.row.status != "running":
        return
    drafts = [
        Draft(type="run.waiting", fields=_waiting(effect, people[effect.key]))
        for effect in pending_effects(log.run)
        if effect.key in people and not isinstance(effect, AskHuman)
    ]
    if drafts:
        events = run_log.drafted(log.run, drafts, time.time())
        run_log.append(log, events, status="waiting")


def allow(log: Log, effect: Effect, *, by: str) -> tuple[Event, ...]:
    """Record a person's permission, and make the run due: a worker performs the effect once."""
    name = {"by": by} if by else {}
    fields = {**_place(effect), "for": effect.performer, **name}
    draft = Draft(type="effect.allowed", fields=fields)
    events = run_log.drafted(log.run, [draft], time.time())
    run_log.go_on(log, events)
    return events


def allow_tool(log: Log, name: str, *, by: str) -> tuple[Log, tuple[Event, ...]]:
    """Record a person's permission for all further calls of a tool in this run."""
    return _about_tool(log, "tool.allowed", name, by)


def revoke_tool(log: Log, name: str, *, by: str) -> tuple[Log, tuple[Event, ...]]:
    """Record that further calls of a tool wait for a person again."""
    return _about_tool(log, "tool.revoked", name, by)


def _about_tool(log: Log, type: str, name: str, by: str) -> tuple[Log, tuple[Event, ...]]:
    fields = {"name": name, **({"by": by} if by else {})}
    events = run_log.drafted(log.run, [Draft(type=type, fields=fields)], time.time())
    return run_log.append(log, events), events


def _place(effect: Effect) -> dict[str, str]:
    return {"key": effect.key, "position": effect.position, "state": effect.state}


def _waiting(effect: Effect, left: LeftToPerson) -> dict[str, object]:
    fields: dict[str, object] = {**_place(effect), "for": "person"}
    if left.reason:
        fields["reason"] = left.reason
    if left.can_allow:
        fields["can_allow"] = True
    return fields
