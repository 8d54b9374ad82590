"""Forks: new runs that begin with the first events of another run."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from workflows.actions import run_log
from workflows.actions.command_right import require_command_right
from workflows.actions.quotas import check_run
from workflows.actions.run_log import Log
from workflows.actions.run_programs import budget_of, check_mode, program_of, start_fields
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, fork_points
from workflows.core.engine.program import CannotRun
from workflows.core.engine.replay.fork import fork_point, repeat_requests
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Control
from workflows.core.engine.transition import transition
from workflows.errors import CannotStart
from workflows.models import Run, RunEvent
from workflows.selectors.known_tools import session_tools
from workflows.selectors.runs import event_of
from workflows.selectors.sources import view

KEPT = (
    "inputs",
    "seed",
    "script",
    "budget",
    "delay_ms",
    "deny",
    "connection",
    "model",
    "mode",
    "templates",
    "roles",
    "session_tools",
    "workspace",
)
"""Options of a run that its forks inherit. Permission to run commands is not inherited."""


@dataclass(frozen=True, kw_only=True)
class Fork:
    """The new run, and the number of the old run's event after which it begins: the requested one,
    or the nearest earlier one with no step in progress."""

    row: Run
    at: int


def fork(
    run_id: UUID | str,
    at: int,
    *,
    driver: str = "",
    revision: int | None = None,
    options: Mapping[str, Any] | None = None,
    owner: User | None = None,
    source: str = Run.Source.PERSON,
) -> Fork:
    """Start a run with the first events of another, and continue with another driver or revision.

    Effects that are pending at that event are requested again: unchanged under the same revision,
    else as the new revision words them. `options` override those of the old run; a script needs the
    answers from the start of the run. `source`: see models.Run. Raises NotThere, and CannotStart if
    the run cannot be continued from there.
    """
    check_run(owner)
    old = run_log.row_of(run_id)
    stored = RunEvent.objects.filter(run_id=old.pk).order_by("n")[: at + 1]
    log = [event_of(event) for event in stored]
    point = fork_point(log, at)
    if not point:
        raise CannotStart(
            f"The run had no pending effect up to event {at}, so it cannot be continued there.",
            hint="Choose a later event, or start a new run.",
        )
    row = _forked(old, point, driver, revision, options or {}, owner, source)
    events = _begun(log[:point], row, old)
    with transaction.atomic():
        row.save(force_insert=True)
        whole = run_log.append(Log(row=row, run=RunState()), events)
        run_log.schedule(_going_on(whole, old))
    return Fork(row=row, at=point)


def _forked(
    old: Run,
    point: int,
    driver: str,
    revision: int | None,
    options: Mapping[str, Any],
    owner: User | None,
    source: str,
) -> Run:
    kept = {name: old.options[name] for name in KEPT if name in old.options}
    came_from: dict[str, Any] = {"run": str(old.pk), "at": point}
    row = Run(
        pack=old.pack,
        revision=old.revision if revision is None else revision,
        profile=old.profile,
        driver=driver or old.driver,
        options={**kept, **options},
        owner=owner,
        source=source,
    )
    if row.revision != old.revision:
        came_from["revision"] = old.revision
        if "session_tools" in kept:
            row.options["session_tools"] = session_tools(old.pack, row.revision, {})
    row.options["forked_from"] = came_from
    if row.options.get("commands"):
        require_command_right(owner)
    check_mode(row.options)
    budget_of(row)
    return row


def _begun(log: Sequence[Event], row: Run, old: Run) -> list[Event]:
    """The old run's events; the first one names the fork's owner and origin."""
    first, *rest = log
    grown = {
        str(state["id"])
        for event in log
        for state in (event.fields.get("grown") or {}).get("states", ())
    }
    _check_places(fold_all(log), row, old, grown)
    origin = dict(row.options["forked_from"])
    if earlier := [point for point in fork_points(first.fields) if point < origin["at"]]:
        origin["earlier"] = earlier
    came_from = {"run": str(row.pk), "forked_from": origin}
    return [replace(first, fields={**first.fields, **start_fields(row), **came_from}), *rest]


def _check_places(run: RunState, row: Run, old: Run, grown: Collection[str]) -> None:
    """Raise CannotStart if the revision cannot run, or lacks a state that the run is in and did not
    add itself (`grown`)."""
    try:
        program_of(row)
    except CannotRun as cannot:
        raise CannotStart(cannot.message, where=cannot.code) from cannot
    if row.revision == old.revision:
        return
    states = view(row.pack, row.revision, row.profile).states
    for position in run.positions:
        if position.state not in states and position.state not in grown:
            raise CannotStart(
                f"Revision {row.revision} has no state {position.state!r}, where the run is.",
                hint="Fork at an event before it, or under another revision.",
            )


def _going_on(log: Log, old: Run) -> Log:
    """Continue the fork. Under another revision its pending effects are requested again; `paused`
    keeps it paused."""
    program, budget, now = program_of(log.row), budget_of(log.row), time.time()
    if log.row.revision != old.revision:
        log = run_log.append(log, repeat_requests(program, log.run, now, budget=budget))
    if log.row.options.get("paused"):
        reason = Control(at=now, what="pause", reason="Forked paused.")
        events, _ = transition(program, log.run, reason, budget=budget)
        log = run_log.append(log, events)
    return log
