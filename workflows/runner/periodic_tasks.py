"""What is done by the clock beside a worker: schedules, traces, the prune. Every worker has one,
and many of them do no more than one."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from django.utils import timezone

from workflows.actions.retention import prune
from workflows.actions.trigger_runs import BROKE, fire_due, pass_over
from workflows.runner.database_threads import DatabaseThreads
from workflows.runner.tracing import Tracer
from workflows.selectors.retention import Limits, limits
from workflows.selectors.triggers import due

log = logging.getLogger(__name__)

POLL_INTERVAL = 1.0
"""Seconds between looks at what is due."""
FIRST_PRUNE = 600.0
"""Seconds after the start: a server that has just come up has other things to do."""
DAY = 86_400.0
_heartbeat: float | None = None


def last_heartbeat() -> float | None:
    """Seconds since this process's clock last came round with its database; None where it has
    none."""
    return None if _heartbeat is None else time.monotonic() - _heartbeat


@asynccontextmanager
async def run_periodic_tasks(*, poll_interval: float = POLL_INTERVAL) -> AsyncIterator[None]:
    """Runs as long as this is held open."""
    threads = DatabaseThreads(size=1, name="clock")
    tracer = Tracer()
    tasks = [
        asyncio.create_task(_repeat(threads, _round_of(tracer), every=poll_interval), name="clock"),
        asyncio.create_task(
            _repeat(threads, prune_old, every=DAY, first=FIRST_PRUNE), name="clock-prune"
        ),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await threads.close()
        tracer.close()


def fire_due_triggers() -> int:
    """Start the runs whose time has come. Returns how many."""
    started = 0
    for trigger in due(timezone.now()):
        try:
            started += fire_due(trigger, timezone.now()) is not None
        except Exception:
            log.exception("The schedule %s could not be started", trigger)
            pass_over(trigger, timezone.now(), BROKE)
    return started


def prune_old() -> int:
    """Delete what the server's settings say is old. Returns how many runs."""
    kept = limits()
    if kept == Limits(days=None, failed_days=None):
        return 0
    gone = sum(prune(kept))
    if gone:
        log.info("%s old runs were pruned", gone)
    return gone


def _round_of(tracer: Tracer) -> Callable[[], None]:
    def come_round() -> None:
        global _heartbeat
        fire_due_triggers()
        _heartbeat = time.monotonic()
        tracer.export()

    return come_round


async def _repeat(
    threads: DatabaseThreads, work: Callable[[], object], *, every: float, first: float = 0.0
) -> None:
    await asyncio.sleep(first)
    while True:
        try:
            await threads.run(work)
        except Exception:
            log.exception("What is done by the clock broke off; trying again")
        await asyncio.sleep(every)
