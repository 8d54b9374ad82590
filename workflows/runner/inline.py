"""Answers that nobody has to be waited for: as many steps as fit into a moment, on one thread.

A script or a rehearsal only computes: model, tools, commands and people alike. Handing each of its
answers from thread to thread takes several times as long as the answer and its commit, so a run
that it drives goes on where it is read. Every step is a transaction of its own, as everywhere.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar, assert_never
from uuid import UUID

from workflows.actions import runs
from workflows.actions.run_log import Log, StaleLog
from workflows.actions.run_steps import step
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.signals import Signal
from workflows.notifications.bus import publish_delta
from workflows.runner.drivers import drivers
from workflows.runner.drivers.base import delay_seconds
from workflows.runner.planning_mode import refused
from workflows.runner.simulated import SIMULATED, simulates_tools, unattended
from workflows.runner.tool_calls import may_run_commands
from workflows.selectors.sources import view

T = TypeVar("T")

MOMENT = 0.02
"""Seconds after which other runs get their turn on this thread."""

_here = threading.local()


def advance(run_id: UUID, log: Log | None = None) -> tuple[Log, bool]:
    """The run after what could be answered without waiting; True where the moment was over first.
    `log`: as the caller knows it. Raises NotThere and ProgramBroke."""
    log, until = log or runs.work_of(run_id), time.monotonic() + MOMENT
    try:
        with _notifying_itself(run_id):
            while (answer := _answer(log)) is not None:
                before, log = log, step(log, answer)
                if log is before:
                    break
                if time.monotonic() > until:
                    return log, True
    except StaleLog:
        return runs.work_of(run_id), False
    return log, False


def deliver_signal(run_id: UUID, log: Log | None, answer: Signal) -> Log:
    """The run after an answer that came for it. `log`: as the caller knows it, which may be old.
    Raises NotThere and ProgramBroke."""
    try:
        log = log or runs.work_of(run_id)
        with _notifying_itself(run_id):
            return step(log, answer)
    except StaleLog:
        runs.deliver(run_id, answer)
        return runs.work_of(run_id)


@contextmanager
def _notifying_itself(run_id: UUID) -> Iterator[None]:
    _here.run = str(run_id)
    try:
        yield
    finally:
        _here.run = ""


def notifies_itself(run: str) -> bool:
    """Whether this very thread goes on with the run: it needs no word of its own news."""
    return getattr(_here, "run", "") == run


def _answer(log: Log) -> Signal | None:
    """To the first effect that has one. None for everything that is not made up by computing
    alone, or not without trouble: then it is performed like any other effect, and the trouble is
    told there."""
    row, run = log.row, log.run
    if run.status not in ("running", "waiting") or row.driver not in SIMULATED:
        return None
    if delay_seconds(row.options):
        return None
    try:
        for effect in pending_effects(run):
            said = _simulated(log, effect)
            if said is not None:
                return replace(said, at=time.time())
    except Exception:
        return None
    return None


def _simulated(log: Log, effect: Effect) -> Signal | None:
    row, run = log.row, log.run
    told = refused(effect, row.options)
    if told is not None:
        return told
    graph = view(row.pack, row.revision, row.profile).graph
    match effect:
        case AskModel(key=key):

            async def show(text: str) -> None:
                publish_delta(row.pk, key, text)

            driver = drivers()[row.driver]
            return _without_waiting(driver.answer(effect, run, graph, row.options, show))
        case Wait():
            return None
        case RunCommand():
            if may_run_commands(row):
                return None
        case CallTool():
            if not simulates_tools(row, run, effect):
                return None
        case AskHuman():
            pass
        case _:
            assert_never(effect)
    simulated = SIMULATED[row.driver](effect, run, graph, row.options)
    return simulated or unattended(effect, row.options)


def _without_waiting(coroutine: Coroutine[Any, Any, T]) -> T | None:
    """What it returns if it does so without waiting for anything."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    coroutine.close()
    return None
