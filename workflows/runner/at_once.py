"""Answers that nobody has to be waited for: as many steps as fit into a moment, on one thread.

A script or a rehearsal only computes. Handing each of its answers from thread to thread takes
several times as long as the answer and its commit, so a run that it drives goes on where it is
read. Every step is a transaction of its own, as everywhere.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar
from uuid import UUID

from workflows.actions import runs
from workflows.actions.run_log import Log, Overtaken
from workflows.actions.run_steps import step
from workflows.core.engine.effects import AskModel
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.signals import Signal
from workflows.doorbell import ring_delta
from workflows.runner.drivers import drivers
from workflows.runner.drivers.base import delay_seconds
from workflows.runner.stand_ins import STAND_INS
from workflows.selectors.sources import view

T = TypeVar("T")

MOMENT = 0.02
"""Seconds after which other runs get their turn on this thread."""

_here = threading.local()


def carry_on(run_id: UUID) -> tuple[Log, bool]:
    """The run after what could be answered without waiting; True where the moment was over first.
    Raises NotThere and ProgramBroke."""
    log, until = runs.work_of(run_id), time.monotonic() + MOMENT
    _here.run = str(run_id)
    try:
        while (answer := _answer(log)) is not None:
            before, log = log, step(log, answer)
            if log is before:
                break
            if time.monotonic() > until:
                return log, True
    except Overtaken:
        return runs.work_of(run_id), False
    finally:
        _here.run = ""
    return log, False


def rings_itself(run: str) -> bool:
    """Whether this very thread is carrying on with the run: it needs no word of its own news."""
    return getattr(_here, "run", "") == run


def _answer(log: Log) -> Signal | None:
    """None for everything that is not made up by computing alone, or not without trouble: then it
    is performed like any other effect, and the trouble is told there."""
    row, run = log.row, log.run
    if run.status != "running" or row.driver not in STAND_INS or delay_seconds(row.options):
        return None
    effect = next(iter(pending_effects(run)), None)
    if not isinstance(effect, AskModel):
        return None

    async def show(text: str) -> None:
        ring_delta(row.pk, effect.key, text)

    try:
        graph = view(row.pack, row.revision, row.profile).graph
        said = _without_waiting(drivers()[row.driver].answer(effect, run, graph, row.options, show))
    except Exception:
        return None
    return None if said is None else replace(said, at=time.time())


def _without_waiting(coroutine: Coroutine[Any, Any, T]) -> T | None:
    """What it returns if it does so without waiting for anything."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    coroutine.close()
    return None
