"""A queue for many machines: Procrastinate on PostgreSQL brings the ids of runs.

The `Job` row stays the truth: what is brought is claimed there first, so a run that is brought
twice is worked on once. What a dead worker held is found by its lease and brought again.

A job of Procrastinate is over as soon as its run was claimed; the run may go on for days. So next
to nothing can be taken back from a worker that fell silent and lives, and where a worker of
Procrastinate breaks off, the next one need not wait for what is under way.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Q
from procrastinate import App, PsycopgConnector
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.contrib.django.utils import connector_params
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Status

from workflows.actions import jobs
from workflows.runner.queue import leases
from workflows.runner.queue.claim import ClaimLoop

log = logging.getLogger(__name__)

STALLED = 30.0
"""Seconds without a sign of life after which a worker's jobs of Procrastinate are cleared away."""
BRINGING = 4
"""Runs that are claimed at a time. Where there is no room they wait for it, until a worker that has
some sees that they are forgotten."""
CONNECTIONS = 4
"""Connections of Procrastinate itself; one listens."""
IDLE_LOOK = 0.05
"""Seconds between looks of whoever waits for quiet."""


class ProcrastinateQueue(ClaimLoop):
    """Takes what is brought."""

    _claiming = 0
    _stopping = False

    async def start(self) -> None:
        self._room = asyncio.Semaphore(self._at_once)
        self._app = _application(self._bring)
        await self._app.open_async()
        self._keep_going(procrastinate=self._take_for_ever(), takeovers=self._take_over_for_ever())

    async def stop(self) -> None:
        """Procrastinate fetches no more; what is claimed from here on is given back."""
        self._stopping = True
        await super().stop()
        await self._app.close_async()

    def wake(self) -> None:
        """PostgreSQL itself tells Procrastinate of new jobs."""

    async def until_idle(self) -> None:
        while await self._busy():
            self._bell.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(IDLE_LOOK):
                    await self._bell.wait()

    async def _busy(self) -> bool:
        """What is no longer free by then is being claimed, or held, or over; what was in hand
        before may be free since."""
        if self._claiming or len(self._holding):
            return True
        free = await self._threads.run(leases.free_runs, now=time.time())
        return bool(free or self._claiming or len(self._holding))

    async def _take_for_ever(self) -> None:
        """Procrastinate's worker, and another one where it broke off (the database went away)."""
        while not self._stopping:
            try:
                await self._app.run_worker_async(
                    queues=[jobs.QUEUE],
                    concurrency=BRINGING,
                    fetch_job_polling_interval=self._poll,
                    delete_jobs="always",
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=STALLED / 2,
                    stalled_worker_timeout=STALLED,
                )
            except Exception:
                log.exception("Jobs are not brought; trying again")
            await asyncio.sleep(self._poll)

    async def _bring(self, run: str) -> None:
        """Begin to work on a run as soon as there is room for it, unless another does, it is over,
        or it is not due yet."""
        await self._room.acquire()
        self._claiming += 1
        work = None
        try:
            if job := await self._claimed(UUID(run)):
                work = self._holding.begin(job)
                work.add_done_callback(lambda _: self._room.release())
        finally:
            self._claiming -= 1
            if work is None:
                self._room.release()

    async def _claimed(self, run_id: UUID) -> leases.Claimed | None:
        if run_id in self._holding:
            return None
        worker = self._holding.worker
        job = await self._threads.run(
            leases.claim_run, worker, run_id, now=time.time(), at_once=self._at_once
        )
        if job is None or not self._stopping:
            return job
        await self._threads.run(leases.release, worker, run_id, untouched=True)
        return None

    async def _take_over_for_ever(self) -> None:
        """Whatever has no worker although it is due is brought again, by whoever sees it first:
        what a dead one held, and suspects that nobody had room for."""
        while True:
            wait = self._beat
            try:
                if await self._threads.run(_announce_forgotten):
                    wait = self._poll
                await self._clear_stalled()
            except Exception:
                log.exception("Could not look for runs that were left behind; trying again")
            await asyncio.sleep(wait)

    async def _clear_stalled(self) -> None:
        """Jobs whose worker fell silent are ended, not tried again: by the time this is done
        another worker may have one in hand, and runs are brought by their leases anyway."""
        manager = self._app.job_manager
        for job in await manager.get_stalled_jobs(
            queue=jobs.QUEUE, seconds_since_heartbeat=STALLED
        ):
            with suppress(ConnectorException):  # another worker was first
                await manager.finish_job(job, status=Status.ABORTED, delete_job=True)


def _application(bring: Callable[[str], Awaitable[None]]) -> App:
    connector = PsycopgConnector(kwargs=connector_params(), min_size=1, max_size=CONNECTIONS)
    app = App(connector=connector)
    app.task(name=jobs.TASK, queue=jobs.QUEUE)(bring)
    return app


def _announce_forgotten() -> bool:
    """True where suspects are among them: soon there may be room for the next."""
    now = time.time()
    free = leases.free_runs(now=now)
    if free:
        coming = _being_brought(now)
        for run_id in free:
            if str(run_id) not in coming:
                jobs.announce(run_id)
    return any(free.values())


def _being_brought(now: float) -> set[str]:
    """Runs that Procrastinate will bring as soon as a worker has room."""
    due = Q(scheduled_at=None) | Q(scheduled_at__lte=datetime.fromtimestamp(now, UTC))
    waiting = ProcrastinateJob.objects.filter(due, queue_name=jobs.QUEUE, status="todo")
    return set(waiting.values_list("args__run", flat=True))
