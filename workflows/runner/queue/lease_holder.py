"""The runs on which one worker holds a lease: work on each, stop when a lease is lost."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cached_property, partial
from typing import Protocol
from uuid import UUID

from django.db import Error as DatabaseError

from workflows.runner.database_threads import DATABASE_UNAVAILABLE, DatabaseThreads
from workflows.runner.queue import heartbeats, leases
from workflows.runner.queue.base import ClaimedJob, Step
from workflows.runner.queue.memory_deaths import WorkRecord
from workflows.runner.queue.worker_identity import new_worker

log = logging.getLogger(__name__)

POLL_INTERVAL = 1.0
"""Seconds between polls of the table if no notification arrives."""
RENEW_INTERVAL = 5.0
"""Seconds between renewals of the leases."""
MAX_RUNS = 5_000
"""Concurrent runs in one worker. Most of them wait for a model, which costs a connection each."""
GIVE_UP_AFTER = 20
"""Attempts without progress after which a run is given up. After a death by
memory it is given up at once (see `memory_deaths`). An attempt counts if its worker died or the
step failed. In the last thirteen of them the run is the only suspect (see `leases`); a harmless run
makes progress then."""


class GiveUp(Protocol):
    """Pause a run that no worker should try again. `memory`: because it took too much of it."""

    def __call__(self, run_id: UUID, *, memory: bool = False) -> None: ...


class LeaseHolder:
    """Works on the runs that a queue has claimed. Calls `on_finished` after each."""

    def __init__(
        self,
        step: Step,
        *,
        threads: DatabaseThreads,
        give_up: GiveUp,
        on_finished: Callable[[], None],
        poll_interval: float,
        renew_interval: float,
    ) -> None:
        self.worker = new_worker()
        self._started_at = time.time()
        self._step = step
        self._threads = threads
        self._give_up = give_up
        self._on_finished = on_finished
        self._poll_interval = poll_interval
        self._renew_interval = renew_interval
        self._tasks: dict[UUID, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def __contains__(self, run_id: UUID) -> bool:
        return run_id in self._tasks

    @property
    def runs(self) -> Collection[UUID]:
        return self._tasks.keys()

    @cached_property
    def record(self) -> WorkRecord:
        """The runs whose next step this worker computes, for the worker after it."""
        return WorkRecord(self.worker)

    def begin(self, job: ClaimedJob) -> asyncio.Task[None]:
        """Work on a run that was claimed for this worker, and release its lease afterwards."""
        task = asyncio.create_task(self._work(job), name=f"run-{job.run_id}")
        self._tasks[job.run_id] = task
        task.add_done_callback(lambda _: self._finish(job.run_id))
        return task

    async def release_all(self) -> None:
        """Cancel running work and release its leases, for other workers to claim at once."""
        await asyncio.sleep(
            0
        )  # A task cancelled before its first step would not release its lease.
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if "record" in self.__dict__:
            self.record.close()
        with suppress(DatabaseError):
            await self._threads.run(heartbeats.end, self.worker)

    async def renew_periodically(self) -> None:
        while True:
            await self._beat()
            await asyncio.sleep(self._renew_interval)
            if "record" in self.__dict__:
                self.record.refresh()
            tasks = dict(self._tasks)
            try:
                renewed = await self._threads.run(
                    leases.renew, self.worker, tuple(tasks), now=time.time()
                )
            except DatabaseError:
                log.exception("Leases could not be renewed; retrying")
                continue
            for run_id, task in tasks.items():
                if run_id not in renewed:
                    task.cancel()

    async def _beat(self) -> None:
        try:
            await self._threads.run(
                heartbeats.beat, self.worker, runs=len(self), started_at=self._started_at
            )
        except DatabaseError:
            log.warning("The heartbeat of this worker could not be stored; retrying")

    def _finish(self, run_id: UUID) -> None:
        self._tasks.pop(run_id, None)
        self._on_finished()

    async def _work(self, job: ClaimedJob) -> None:
        blameless = interrupted = False
        try:
            if job.died_of_memory or job.attempts > GIVE_UP_AFTER:
                await self._threads.run(self._give_up, job.run_id, memory=job.died_of_memory)
            else:
                await self._step(job)
        except asyncio.CancelledError:
            blameless = interrupted = True
            raise
        except MemoryError:
            log.error(
                "Run %s needs more memory than the machine has; it waits for a person", job.run_id
            )
            await self._threads.run(self._give_up, job.run_id, memory=True)
        except Exception as error:
            log.exception("Work on run %s failed; it will be retried", job.run_id)
            blameless, interrupted = isinstance(error, DATABASE_UNAVAILABLE), True
            await asyncio.sleep(self._poll_interval)
        finally:
            with suppress(DatabaseError):
                release = partial(
                    leases.release,
                    self.worker,
                    job.run_id,
                    blameless=blameless,
                    interrupted=interrupted,
                )
                await self._threads.run(release)
