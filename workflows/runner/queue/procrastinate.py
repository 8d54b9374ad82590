"""A queue for many machines: Procrastinate on PostgreSQL delivers the ids of runs.

The `Job` row is authoritative: a delivered run is claimed there first, so a run that is delivered
twice is worked on once. Runs of a dead worker are found by their lease and delivered again.

A job of Procrastinate ends as soon as its run is claimed; the run may take days. So an unresponsive
worker that is still alive loses almost nothing, and a restarted Procrastinate worker does not wait
for running work.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from django.db.models import Q
from procrastinate import App, PsycopgConnector
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.contrib.django.utils import connector_params
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Status

from workflows.actions import jobs
from workflows.runner.queue import leases
from workflows.runner.queue.base import ClaimedJob
from workflows.runner.queue.claim import ClaimLoop

log = logging.getLogger(__name__)

STALLED_SECONDS = 30.0
"""Seconds without a heartbeat after which a worker's Procrastinate jobs are removed."""
CLAIM_CONCURRENCY = 4
"""Concurrent claims. Without free capacity they wait, until a worker with capacity finds their runs
unclaimed."""
CONNECTIONS = 4
"""Connections of Procrastinate itself; one receives notifications."""
IDLE_POLL_INTERVAL = 0.05
"""Seconds between checks in `wait_until_idle`."""


class ProcrastinateQueue(ClaimLoop):
    """Claims the runs that Procrastinate delivers."""

    _claiming = 0
    _stopping = False

    async def start(self) -> None:
        self._room = asyncio.Semaphore(self._max_runs)
        self._app = _application(self._claim_run)
        await self._app.open_async()
        self._start_loops(procrastinate=self._run_procrastinate(), takeovers=self._recover_runs())

    async def stop(self) -> None:
        """Stop fetching. Jobs that are claimed from here on are released."""
        self._stopping = True
        await super().stop()
        await self._app.close_async()

    def wake(self) -> None:
        """PostgreSQL notifies Procrastinate of new jobs."""

    async def wait_until_idle(self) -> None:
        while await self._busy():
            self._wakeup.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(IDLE_POLL_INTERVAL):
                    await self._wakeup.wait()

    async def _busy(self) -> bool:
        """Return True if a run is free, being claimed or held. The second check covers runs that
        changed during the query."""
        if self._claiming or len(self._lease_holder):
            return True
        free = await self._threads.run(leases.free_runs, now=time.time())
        return bool(free or self._claiming or len(self._lease_holder))

    async def _run_procrastinate(self) -> None:
        """Run Procrastinate's worker, and restart it when it fails because the database is
        unavailable."""
        while not self._stopping:
            try:
                await self._app.run_worker_async(
                    queues=[jobs.QUEUE],
                    concurrency=CLAIM_CONCURRENCY,
                    fetch_job_polling_interval=self._poll_interval,
                    delete_jobs="always",
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=STALLED_SECONDS / 2,
                    stalled_worker_timeout=STALLED_SECONDS,
                )
            except Exception:
                log.exception("Procrastinate's worker failed; restarting")
            await asyncio.sleep(self._poll_interval)

    async def _claim_run(self, run: str) -> None:
        """Work on a run as soon as there is room for it, unless another worker holds it, it has
        ended, or it is not due yet."""
        await self._room.acquire()
        self._claiming += 1
        work = None
        try:
            if job := await self._claim_job(UUID(run)):
                work = self._lease_holder.begin(job)
                work.add_done_callback(lambda _: self._room.release())
        finally:
            self._claiming -= 1
            if work is None:
                self._room.release()

    async def _claim_job(self, run_id: UUID) -> ClaimedJob | None:
        if run_id in self._lease_holder:
            return None
        worker = self._lease_holder.worker
        job = await self._threads.run(
            leases.claim_run, worker, run_id, now=time.time(), max_runs=self._max_runs
        )
        if job is None or not self._stopping:
            return job
        release = partial(leases.release, blameless=True, interrupted=job.stopped_at is not None)
        await self._threads.run(release, worker, run_id)
        return None

    async def _recover_runs(self) -> None:
        """Deliver due runs without a worker again: runs of dead workers, and suspects that no
        worker had room for. Every worker does this."""
        while True:
            wait = self._renew_interval
            try:
                if await self._threads.run(_announce_free_runs):
                    wait = self._poll_interval
                await self._clear_stalled()
            except Exception:
                log.exception("Looking for unclaimed runs failed; retrying")
            await asyncio.sleep(wait)

    async def _clear_stalled(self) -> None:
        """End the jobs of unresponsive workers without a retry: another worker may have claimed one
        in the meantime, and runs are recovered by their leases anyway."""
        manager = self._app.job_manager
        for job in await manager.get_stalled_jobs(
            queue=jobs.QUEUE, seconds_since_heartbeat=STALLED_SECONDS
        ):
            with suppress(ConnectorException):  # Another worker has cleared this job.
                await manager.finish_job(job, status=Status.ABORTED, delete_job=True)


def _application(claim_run: Callable[[str], Awaitable[None]]) -> App:
    connector = PsycopgConnector(kwargs=connector_params(), min_size=1, max_size=CONNECTIONS)
    app = App(connector=connector)
    app.task(name=jobs.TASK, queue=jobs.QUEUE)(claim_run)
    return app


def _announce_free_runs() -> bool:
    """Deliver free runs again. Returns True if there are suspects among them: there may be room for
    the next soon."""
    now = time.time()
    free = leases.free_runs(now=now)
    if free:
        queued = _queued_runs(now)
        for run_id in free:
            if str(run_id) not in queued:
                jobs.announce(run_id)
    return any(free.values())


def _queued_runs(now: float) -> set[str]:
    """Runs that Procrastinate delivers as soon as a worker has room."""
    due = Q(scheduled_at=None) | Q(scheduled_at__lte=datetime.fromtimestamp(now, UTC))
    waiting = ProcrastinateJob.objects.filter(due, queue_name=jobs.QUEUE, status="todo")
    return set(waiting.values_list("args__run", flat=True))
