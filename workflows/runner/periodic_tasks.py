"""Periodic tasks of a worker: schedules, tasks of plug-ins, pruning, messages about approvals,
fetches of repositories. Every worker runs them; locks and conditional updates make each task happen
once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from workflows.actions.retention import prune, prune_audit_log
from workflows.actions.trigger_runs import BROKE, fire_due, pass_over
from workflows.core.plugins import declared
from workflows.runner.approval_messages import send_due_notices
from workflows.runner.callbacks import send_due_callbacks
from workflows.runner.database_threads import DatabaseThreads
from workflows.runner.repository_polls import fetch_due
from workflows.runner.workspace_closing import close_left_over
from workflows.selectors.retention import Limits, limits
from workflows.selectors.triggers import due

log = logging.getLogger(__name__)

POLL_INTERVAL = 1.0
"""Seconds between checks for due tasks."""
FIRST_PRUNE = 600.0
"""Seconds before the first prune, so that it does not slow down the start of the server."""
CLOSE_INTERVAL = 30.0
"""Seconds between searches for workspaces that a killed worker left open."""
DAY = 86_400.0
_heartbeat: float | None = None


def last_heartbeat() -> float | None:
    """Seconds since this process last completed its periodic tasks; None before the first time."""
    return None if _heartbeat is None else time.monotonic() - _heartbeat


@asynccontextmanager
async def run_periodic_tasks(*, poll_interval: float = POLL_INTERVAL) -> AsyncIterator[None]:
    """Run the periodic tasks until the block ends."""
    threads = DatabaseThreads(size=1, name="periodic")
    # A chat or mail server that does not answer must not delay schedules.
    messengers = DatabaseThreads(size=1, name="messages")
    # A fetch takes as long as the network does.
    fetchers = DatabaseThreads(size=1, name="repositories")
    extras = [import_string(path)() for path in declared("periodic")]
    tasks = [
        asyncio.create_task(
            _repeat(threads, _round_task([one.run for one in extras]), every=poll_interval),
            name="periodic",
        ),
        asyncio.create_task(
            _repeat(threads, prune_old, every=DAY, first=FIRST_PRUNE), name="periodic-prune"
        ),
        asyncio.create_task(
            _repeat(threads, close_left_over, every=CLOSE_INTERVAL), name="periodic-close"
        ),
        asyncio.create_task(
            _repeat(messengers, send_messages, every=poll_interval), name="periodic-messages"
        ),
        asyncio.create_task(
            _repeat(fetchers, fetch_due, every=poll_interval), name="periodic-repositories"
        ),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await threads.close()
        await messengers.close()
        await fetchers.close()
        for one in extras:
            one.close()


def send_messages() -> None:
    """Send messages about approvals, and results to callbacks."""
    send_due_notices()
    send_due_callbacks()


def fire_due_triggers() -> int:
    """Start the runs of due triggers. Returns their number."""
    started = 0
    for trigger in due(timezone.now()):
        try:
            started += fire_due(trigger, timezone.now()) is not None
        except Exception:
            log.exception("The schedule %s could not start a run", trigger)
            pass_over(trigger, timezone.now(), BROKE)
    return started


def prune_old() -> int:
    """Delete runs and entries of the audit log that exceed the server's retention limits. Returns
    the number of runs."""
    if settings.SIGNALBOX_KEEP_AUDIT_DAYS is not None:
        prune_audit_log(settings.SIGNALBOX_KEEP_AUDIT_DAYS)
    configured = limits()
    if configured == Limits(days=None, failed_days=None):
        return 0
    deleted = sum(prune(configured))
    if deleted:
        log.info("%s old runs were pruned", deleted)
    return deleted


def _round_task(extras: Iterable[Callable[[], object]]) -> Callable[[], None]:
    def run_once() -> None:
        global _heartbeat
        fire_due_triggers()
        _heartbeat = time.monotonic()
        for work in extras:
            work()

    return run_once


async def _repeat(
    threads: DatabaseThreads, work: Callable[[], object], *, every: float, first: float = 0.0
) -> None:
    await asyncio.sleep(first)
    while True:
        try:
            await threads.run(work)
        except Exception:
            log.exception("A periodic task failed; retrying")
        await asyncio.sleep(every)
