"""A worker: claims jobs from the queue and executes many runs at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from uuid import UUID

from django.db import Error as DatabaseError

from workflows.actions import jobs, runs
from workflows.errors import NotThere
from workflows.notifications import bus
from workflows.runner.database_threads import DatabaseThreads
from workflows.runner.effects import perform
from workflows.runner.executor import Perform, RunExecutor, read_only
from workflows.runner.inline import advance, is_own_notification
from workflows.runner.models.clients import close_clients
from workflows.runner.queue.base import Queue
from workflows.runner.queue.lease_holder import (
    GIVE_UP_AFTER,
    MAX_RUNS,
    POLL_INTERVAL,
    RENEW_INTERVAL,
)

log = logging.getLogger(__name__)

THREADS = 4
"""Database connections of a worker. SQLite has one writer; more threads would only wait."""
GIVEN_UP = (
    f"Work on this run broke off {GIVE_UP_AFTER} times and it got nowhere. The logs of servers and"
    " workers say why; resumed, it is tried again."
)


class Worker:
    """Executes runs on the loop it is started on.

    `poll_interval` and `renew_interval` are in seconds, as for the queue; `max_runs` limits its
    concurrent runs.
    """

    def __init__(
        self,
        *,
        perform: Perform = perform,
        poll_interval: float = POLL_INTERVAL,
        renew_interval: float = RENEW_INTERVAL,
        max_runs: int = MAX_RUNS,
    ) -> None:
        self._perform = perform
        self._threads = DatabaseThreads(size=THREADS, name="worker")
        self._executors: dict[str, RunExecutor] = {}
        self._poll_interval = poll_interval
        self.queue: Queue = _queue_class()(
            self._step,
            threads=self._threads,
            give_up=_give_up,
            poll_interval=poll_interval,
            renew_interval=renew_interval,
            max_runs=max_runs,
        )

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._unsubscribe = bus.subscribe(self._on_notification)
        self._poller = asyncio.create_task(self._poll_runs(), name="worker-poll")
        await self.queue.start()

    async def stop(self) -> None:
        """Release all runs, for other workers to claim at once."""
        self._unsubscribe()
        self._poller.cancel()
        await asyncio.gather(self._poller, return_exceptions=True)
        await self.queue.stop()
        await close_clients()
        await self._threads.close()

    async def run_until_idle(self) -> None:
        """Wait until every run has ended, or waits for a person or for its time."""
        await self.queue.wait_until_idle()

    async def _step(self, run_id: UUID) -> None:
        executor = RunExecutor(
            run_id,
            perform=self._perform,
            threads=self._threads,
            advance=advance if self._perform is perform else read_only,
        )
        self._executors[str(run_id)] = executor
        try:
            await executor.work()
        finally:
            del self._executors[str(run_id)]

    async def _poll_runs(self) -> None:
        """Find changes by other processes whose notification did not arrive. Releases the logs of
        runs without a new event since the last poll."""
        before: dict[str, int] = {}
        while True:
            await asyncio.sleep(self._poll_interval)
            newest = {run: executor.newest for run, executor in self._executors.items()}
            for run in newest.keys() & before.keys():
                if newest[run] == before[run]:
                    self._executors[run].release_log()
            before = newest
            if not newest:
                continue
            try:
                newest = await self._threads.run(runs.newest, tuple(newest))
            except DatabaseError:
                log.exception("Polling for changes of runs failed; retrying")
                continue
            for run, executor in self._executors.items():
                if newest.get(run, 0) > newest.get(run, 0):
                    executor.notify()

    def _on_notification(self, notification: bus.Notification) -> None:
        if not isinstance(notification, bus.RunChanged) or is_own_notification(notification.run):
            return
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake_run, notification.run)

    def _wake_run(self, run: str) -> None:
        executor = self._executors.get(run)
        if executor is not None:
            executor.notify()
        else:
            self.queue.wake()


def _queue_class() -> Callable[..., Queue]:
    """The queue for the configured database."""
    if jobs.queue_is_told():
        from workflows.runner.queue.procrastinate import ProcrastinateQueue

        return ProcrastinateQueue
    from workflows.runner.queue.embedded import EmbeddedQueue

    return EmbeddedQueue


def _give_up(run_id: UUID) -> None:
    with suppress(NotThere):
        runs.give_up(run_id, GIVEN_UP)


@asynccontextmanager
async def worker(*, max_runs: int = MAX_RUNS) -> AsyncIterator[Worker]:
    """A running worker. `signalbox.asgi` holds it open while the server runs."""
    started = Worker(max_runs=max_runs)
    await started.start()
    try:
        yield started
    finally:
        await started.stop()
