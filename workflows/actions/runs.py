"""Starting runs and delivering signals to them. Each function is one transaction.

A signal goes through `transition`; its events, the run's row and its job are written together, and
a notification follows the commit. Of two writers one loses, reads again and retries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from workflows.actions import jobs, run_log, unperformed_effects
from workflows.actions.approval_limit_values import checked_limit
from workflows.actions.command_right import require_command_right, require_right_to_allow
from workflows.actions.quotas import check_run
from workflows.actions.repeated_calls import repeated_calls
from workflows.actions.role_bindings import taken_along
from workflows.actions.run_log import Log, StaleLog
from workflows.actions.run_programs import (
    budget_of,
    check_mode,
    check_started_by,
    program_of,
    start_fields,
    started_by,
)
from workflows.actions.run_signals import allowed_effect, as_answer, refusal, tool_allowed_by
from workflows.actions.unperformed_effects import LeftToPerson
from workflows.core.engine.effects import Effect
from workflows.core.engine.events import Draft, Event
from workflows.core.engine.people import PEOPLE_EVENTS
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Signal, Start
from workflows.core.engine.transition import advance, transition
from workflows.errors import CannotStart, SignalRefused
from workflows.models import Job, Pack, Run, RunEvent, Trigger
from workflows.selectors import templates
from workflows.selectors.known_tools import session_tools

T = TypeVar("T")
TRIES = 8
TAKEN_ALONG = ("roles", "templates", "session_tools", "simulated_inputs")
"""Options that are set from the stored pack at the start of a run, never by the caller."""


class ProgramBroke(Exception):
    """A dialect's program raised an unexpected error: a bug of Signalbox, not of the pack."""


def start(
    pack: Pack,
    *,
    revision: int | None = None,
    driver: str,
    options: Mapping[str, Any],
    owner: User | None = None,
    profile: str = "",
    source: str = Run.Source.PERSON,
    trigger: Trigger | None = None,
    key: str = "",
) -> Run:
    """Start a run of one revision (None for the newest). `options`, `source`, `key`: see
    models.Run.

    A run that ends at once (a missing input) is stored as failed with its reason. Raises
    CannotStart for a pack that cannot run, NotThere for an unknown revision, QuotaReached, and
    CommandsRefused.
    """
    check_run(owner)
    options = start_options(options)
    number = pack.head if revision is None else revision
    taken: dict[str, Any] = {
        "roles": taken_along(pack, number),
        "templates": templates.taken_along(pack, number, owner),
    }
    options |= {name: what for name, what in taken.items() if what}
    options["session_tools"] = session_tools(pack, number, options.get("tools") or {})
    row = Run(
        pack=pack,
        revision=number,
        profile=profile or pack.profile,
        driver=driver,
        options=options,
        owner=owner,
        source=source,
        trigger=trigger,
        key=key,
    )
    if options.get("commands"):
        require_command_right(owner)
    check_mode(options)
    limit = options.get("approval_limit")
    if limit:
        checked_limit(limit["hours"], limit["outcome"])
    check_started_by(options)
    budget_of(row)
    program = _program_that_starts(row)
    if driver == "rehearsal":
        options = row.options = _with_simulated_inputs(program, options)
    begin = Start(
        at=time.time(),
        inputs={name: str(value) for name, value in (options.get("inputs") or {}).items()},
        paused=bool(options.get("paused")),
        run=str(row.pk),
        breakpoints=tuple(options.get("breakpoints") or ()),
        started_by=started_by(row),
    )
    with transaction.atomic():
        row.save(force_insert=True)
        events, _ = transition(program, RunState(), begin, budget=budget_of(row))
        events = _with_driver(events, row)
        log = run_log.append(Log(row=row, run=RunState()), events)
        for tool in [] if log.run.finished else options.get("allowed_tools") or []:
            log, _ = unperformed_effects.allow_tool(log, tool, by=owner.username if owner else "")
        if log.run.pending and not log.run.finished:
            jobs.add(row)
    return row


def _with_simulated_inputs(program: Program, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with a generated value for each required input that has none. `simulated_inputs`
    names them."""
    given_inputs = {
        name: str(value) for name, value in (options.get("inputs") or {}).items() if value != ""
    }
    values = simulated_inputs(program, given_inputs)
    simulated = [name for name in values if name not in given_inputs]
    if not simulated:
        return dict(options)
    inputs = {**(options.get("inputs") or {}), **{name: values[name] for name in simulated}}
    return {**options, "inputs": inputs, "simulated_inputs": simulated}


def start_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run that its starter may give."""
    return {name: value for name, value in options.items() if name not in TAKEN_ALONG}


def signal(run_id: UUID | str, signal: Signal, *, by: str = "") -> tuple[Event, ...]:
    """Deliver a signal of a person or a program. Returns the new events; the one that
    records the act has the name in `by`.

    An `Approve` for a command or a call that is left to people allows it or reports its result
    (`run_signals`). Raises NotThere, BadRequest if it does neither, and SignalRefused with the
    reason if the signal changed nothing.
    """

    def attempt(log: Log) -> tuple[Event, ...]:
        effect = allowed_effect(log.run, signal)
        if effect is not None:
            require_right_to_allow(log.row, effect, by=by)
        allowed: tuple[Event, ...] = ()
        if tool := tool_allowed_by(log.run, signal):
            log, allowed = unperformed_effects.allow_tool(log, tool, by=by)
        if effect is not None:
            return allowed + unperformed_effects.allow(log, effect, by=by)
        answer = as_answer(log.run, signal, driver=log.row.driver)
        events = _take(log, answer, by=by)
        if not events:
            raise SignalRefused(refusal(log.run, answer))
        return allowed + events

    return _retrying(run_id, attempt)


def revoke_tool(run_id: UUID | str, name: str, *, by: str = "") -> tuple[Event, ...]:
    """Let further calls of a tool wait for a person again. Raises NotThere, and SignalRefused if no
    person allowed the tool for the rest of the run."""

    def attempt(log: Log) -> tuple[Event, ...]:
        if log.run.finished or name not in log.run.allowed_tools:
            raise SignalRefused(f"The tool {name!r} is not allowed for the rest of this run.")
        return unperformed_effects.revoke_tool(log, name, by=by)[1]

    return _retrying(run_id, attempt)


def deliver(run_id: UUID | str, *answers: Signal, held: Log | None = None) -> Log:
    """The run after these answers to its effects, each in a transaction. A late or repeated answer
    changes nothing. `held`: the caller's log, which may be stale.

    Raises NotThere if the run was deleted, and ProgramBroke if its program has a bug.
    """
    for answer in answers:
        held = _retrying(run_id, partial(_after, answer=answer), held)
    return held or work_of(run_id)


def fail(run_id: UUID | str, reason: str) -> tuple[Event, ...]:
    """End a run that cannot continue, with the reason."""

    def attempt(log: Log) -> tuple[Event, ...]:
        if log.run.finished:
            return ()
        fields = {"status": "failed", "reason": reason}
        events = run_log.drafted(log.run, [Draft(type="run.finished", fields=fields)], time.time())
        run_log.go_on(log, events)
        return events

    return _retrying(run_id, attempt)


def note_about_workspace(
    run_id: UUID | str, type: str, fields: Mapping[str, Any], *, once: bool = False
) -> tuple[Event, ...]:
    """Append an event about the workspace of a run that has ended. `once`: () if the log has one of
    this type already."""

    def attempt(log: Log) -> tuple[Event, ...]:
        is_noted = once and RunEvent.objects.filter(run_id=log.row.pk, type=type).exists()
        if is_noted or not log.run.finished:
            return ()
        events = run_log.drafted(log.run, [Draft(type=type, fields=fields)], time.time())
        run_log.append(log, events)
        return events

    return _retrying(run_id, attempt)


def hold(
    run_id: UUID | str,
    key: str,
    reason: str,
    sent: Sequence[Mapping[str, Any]] = (),
    connection: str = "",
) -> tuple[Event, ...]:
    """Pause a run whose effect cannot be answered now, with the reason, the model requests that
    failed and the connection at fault. The effect stays pending: it is requested again when the
    run is resumed, or a person answers it."""

    def attempt(log: Log) -> tuple[Event, ...]:
        if key not in log.run.pending:
            return ()
        fields = {"reason": reason, "unanswered": key, **({"sent": list(sent)} if sent else {})}
        if connection:
            fields["connection"] = connection
        events = run_log.drafted(log.run, [Draft(type="run.paused", fields=fields)], time.time())
        run_log.append(log, events)
        return events

    return _retrying(run_id, attempt)


def give_up(run_id: UUID | str, reason: str) -> tuple[Event, ...]:
    """Pause a run that makes no progress, with the reason. All its effects stay pending, as with
    `hold`, and no worker takes it up before it is resumed."""

    def attempt(log: Log) -> tuple[Event, ...]:
        Job.objects.filter(run_id=log.row.pk).delete()
        drafts = [
            Draft(type="run.paused", fields={"reason": reason, "unanswered": key})
            for key in log.run.pending
            if key not in log.run.unanswered
        ]
        events = run_log.drafted(log.run, drafts, time.time())
        if events:
            run_log.append(log, events)
        return events

    return _retrying(run_id, attempt)


def settle(
    run_id: UUID | str, *, n: int, people: Mapping[str, LeftToPerson], due: float | None
) -> bool:
    """Release a run that no worker can continue: `people` are the effects that only people answer,
    by key, `due` is the end of the earliest `Wait` (seconds since 1970).

    Its job is deleted or becomes due then. False, with nothing changed, if the log moved past `n`.
    """

    def attempt(log: Log) -> bool:
        if log.run.n != n:
            return False
        unperformed_effects.leave(log, people)
        if due is None:
            Job.objects.filter(run_id=log.row.pk).delete()
        else:
            jobs.sleep_until(log.row.pk, due)
        return True

    return _retrying(run_id, attempt)


def repeat_calls(
    run_id: UUID | str, is_performed: Callable[[Run, RunState, Effect], bool], stopped_at: float
) -> tuple[Event, ...]:
    """Record the effects that are performed again because a worker stopped, at this time in seconds
    since 1970."""

    def attempt(log: Log) -> tuple[Event, ...]:
        now = time.time()
        idle = round(max(0.0, now - max(stopped_at, log.run.now)), 3)
        drafts = repeated_calls(log.run, partial(is_performed, log.row, log.run), idle)
        events = run_log.drafted(log.run, drafts, now)
        if events:
            run_log.append(log, events)
        return events

    return _retrying(run_id, attempt)


def work_of(run_id: UUID | str, held: Log | None = None) -> Log:
    """The current row and fold of a run, for a worker; `held` if it is still current. Raises
    NotThere."""
    if held and Run.objects.filter(pk=run_id, last=held.run.n).exists():
        return held
    row = run_log.row_of(run_id)
    return Log(row=row, run=run_log.folded(row))


def newest(runs: Collection[str]) -> dict[str, int]:
    """Number of the newest event of each of these runs."""
    rows = Run.objects.filter(pk__in=runs).values_list("pk", "last")
    return {str(run_id): last for run_id, last in rows}


def asked_at(run_id: UUID | str, key: str) -> float:
    """Time at which the effect with this key was requested, in seconds since 1970."""
    events = RunEvent.objects.annotate(asked=Cast(KT("fields__key"), TextField()))
    row = events.filter(run_id=run_id, asked=key).order_by("n").first()
    return row.at if row else time.time()


def _program_that_starts(row: Run) -> Any:
    try:
        return program_of(row)
    except CannotRun as cannot:
        raise CannotStart(cannot.message, where=cannot.code) from cannot


def _with_driver(events: Sequence[Event], row: Run) -> tuple[Event, ...]:
    first, *rest = events
    return (replace(first, fields={**first.fields, **start_fields(row)}), *rest)


def _signed(events: Sequence[Event], by: str) -> tuple[Event, ...]:
    """Add the name of the person to the event that records the act."""
    index = next((n for n, event in enumerate(events) if event.type in PEOPLE_EVENTS), None)
    if not by or index is None:
        return tuple(events)
    event = events[index]
    signed = replace(event, fields={**event.fields, "by": by})
    return (*events[:index], signed, *events[index + 1 :])


def _take(log: Log, signal: Signal, *, by: str = "") -> tuple[Event, ...]:
    events, run = _computed(log, signal)
    events = _signed(events, by)
    if events:
        run_log.go_on(log, events, run=run)
    return events


def _after(log: Log, answer: Signal) -> Log:
    events, run = _computed(log, answer)
    return run_log.go_on(log, events, run=run) if events else log


def _computed(log: Log, signal: Signal) -> tuple[tuple[Event, ...], RunState]:
    program, budget = program_of(log.row), budget_of(log.row)
    try:
        return advance(program, log.run, signal, budget=budget)
    except MemoryError:
        raise
    except Exception as bug:
        raise ProgramBroke(f"{type(bug).__name__}: {bug}") from bug


def _retrying(run_id: UUID | str, attempt: Callable[[Log], T], held: Log | None = None) -> T:
    """`held`: a log to try first, without reading."""
    for tried in range(TRIES):
        try:
            with transaction.atomic():
                return attempt(held or run_log.opened(run_id, afresh=tried > 1))
        except StaleLog:
            held = None
    raise SignalRefused("Too many writers use this run at once.", hint="Try again.")
