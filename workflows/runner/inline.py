"""Answers that need no waiting: as many steps as fit into a time slice, on one thread.

Scripts and rehearsals only compute, for models, tools, commands and people alike. Passing each of
their answers from thread to thread takes several times as long as the answer and its commit, so
such a run advances on the thread that reads it. Answers that are computed within
`COMMIT_INTERVAL` share a transaction: none of them is shown before its commit, and a worker that is
killed before it loses nothing but their computing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar, assert_never
from uuid import UUID

from workflows.actions import runs
from workflows.actions.run_log import Log, StaleLog
from workflows.actions.run_steps import Steps, step
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.signals import Signal
from workflows.notifications.bus import publish_delta
from workflows.runner.drivers import drivers
from workflows.runner.drivers.base import delay_seconds
from workflows.runner.permissions import may_perform_command
from workflows.runner.planning_mode import refuse_command
from workflows.runner.simulated import SIMULATORS, deny_unattended, simulates_tools
from workflows.selectors.sources import view

T = TypeVar("T")

TIME_SLICE = 0.02
"""Seconds after which other runs get this thread."""

COMMIT_INTERVAL = 0.005
"""Seconds of computed answers that one commit stores."""

_here = threading.local()


def advance(run_id: UUID, log: Log | None = None) -> tuple[Log, bool]:
    """The run after all answers that need no waiting; True if the time slice ended first. `log`:
    the caller's log. Raises NotThere and ProgramBroke."""
    log, until = log or runs.work_of(run_id), time.monotonic() + TIME_SLICE
    try:
        with ignore_own_notifications(run_id):
            while (after := _answered(log)) is not log:
                log = after
                if time.monotonic() > until:
                    return log, True
    except StaleLog:
        return runs.work_of(run_id), False
    return log, False


def deliver_signals(run_id: UUID, log: Log | None, answers: Sequence[Signal]) -> Log:
    """The run after these answers. `log`: the caller's log, which may be stale. Raises NotThere and
    ProgramBroke."""
    try:
        log = log or runs.work_of(run_id)
        with ignore_own_notifications(run_id):
            return step(log, *answers)
    except StaleLog:
        for answer in answers:
            runs.deliver(run_id, answer)
        return runs.work_of(run_id)


@contextmanager
def ignore_own_notifications(*run_ids: UUID) -> Iterator[None]:
    """Mark these runs as advanced by this thread."""
    _here.runs = frozenset(map(str, run_ids))
    try:
        yield
    finally:
        _here.runs = frozenset()


def is_own_notification(run: str) -> bool:
    """Return True if this thread is advancing the run, so that it needs no notification of its own
    changes."""
    return run in getattr(_here, "runs", ())


def _answered(log: Log) -> Log:
    """The run after the answers that share a commit; the same log if there are none."""
    steps, until = Steps(log), time.monotonic() + COMMIT_INTERVAL
    while (answer := _answer(steps.log)) is not None and steps.take(answer):
        if time.monotonic() > until or steps.concern_people:
            break
    return steps.commit()


def _answer(log: Log) -> Signal | None:
    """The answer to the first effect that has one. None for effects that need more than computing,
    and for effects whose answer fails: they are performed like any other, and errors are reported
    there."""
    row, run = log.row, log.run
    if run.status not in ("running", "waiting") or row.driver not in SIMULATORS:
        return None
    if delay_seconds(row.options):
        return None
    try:
        for effect in pending_effects(run):
            signal = _simulated(log, effect)
            if signal is not None:
                return replace(signal, at=time.time())
    except Exception:
        return None
    return None


def _simulated(log: Log, effect: Effect) -> Signal | None:
    row, run = log.row, log.run
    refusal = refuse_command(effect, row.options)
    if refusal is not None:
        return refusal
    graph = view(row.pack, row.revision, row.profile).graph
    match effect:
        case AskModel(key=key):

            async def show(text: str) -> None:
                publish_delta(row.pk, key, text)

            driver = drivers()[row.driver]
            return _run_without_waiting(driver.answer(effect, run, graph, row.options, show))
        case Wait():
            return None
        case RunCommand():
            if may_perform_command(row, run, effect):
                return None
        case CallTool():
            if not simulates_tools(row, run, effect):
                return None
        case AskHuman():
            pass
        case _:
            assert_never(effect)
    simulated = SIMULATORS[row.driver](effect, run, graph, row.options)
    return simulated or deny_unattended(effect, row.options)


def _run_without_waiting(coroutine: Coroutine[Any, Any, T]) -> T | None:
    """The coroutine's result if it returns without waiting, else None."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    coroutine.close()
    return None
