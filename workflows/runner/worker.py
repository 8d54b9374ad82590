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
from workflows.runner.database_threads import DatabaseThreads, in_thread
from workflows.runner.effects import perform
from workflows.runner.executor import Perform, RunExecutor
from workflows.runner.models.clients import close_clients
from workflows.runner.queue.base import ClaimedJob, Queue
from workflows.runner.queue.lease_holder import (
    GIVE_UP_AFTER,
    MAX_RUNS,
    POLL_INTERVAL,
    RENEW_INTERVAL,
)
from workflows.runner.workspace_closing import close as close_workspace

log = logging.getLogger(__name__)

THREADS = 4
"""Database connections of a worker. SQLite has one writer; more threads would only wait."""
GIVEN_UP = (
    f"Work on this run failed {GIVE_UP_AFTER} times without progress. The logs of servers and"
    " workers have the reason. Resume the run to retry."
)

OUT_OF_MEMORY = (
    "A worker ran out of memory while it computed the next step of this run, so no worker tries it"
    " again by itself. Check the size of the pack, of its schemas and of the run's artifacts, then"
    " resume the run to retry, or cancel it."
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

    async def _step(self, job: ClaimedJob) -> None:
        executor = RunExecutor(
            job.run_id,
            perform=self._perform,
            threads=self._threads,
            stopped_at=job.stopped_at,
            at_work=self.queue.at_work,
        )
        self._executors[str(job.run_id)] = executor
        try:
            await executor.work()
        finally:
            del self._executors[str(job.run_id)]
        try:
            await in_thread(close_workspace, job.run_id)
        except Exception:
            log.exception("The workspace of run %s cannot be closed; retrying later", job.run_id)

    async def _poll_runs(self) -> None:
        """Find changes by other processes whose notification did not arrive. Releases the logs of
        runs without a new event since the last poll."""
        before: dict[str, int] = {}
        while True:
            await asyncio.sleep(self._poll_interval)
            # A run without a number is about to be read, if thousands start at once in seconds.
            held = {run: n for run, executor in self._executors.items() if (n := executor.newest)}
            for run in held.keys() & before.keys():
                if held[run] == before[run]:
                    self._executors[run].release_log()
            before = held
            if not held:
                continue
            try:
                stored = await self._threads.run(runs.newest, tuple(held))
            except DatabaseError:
                log.exception("Polling for changes of runs failed; retrying")
                continue
            for run, executor in self._executors.items():
                if run in held and stored.get(run, 0) > held[run]:
                    executor.notify()

    def _on_notification(self, notification: bus.Notification) -> None:
        if not isinstance(notification, bus.RunChanged):
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
    if jobs.uses_queue():
        from workflows.runner.queue.procrastinate import ProcrastinateQueue

        return ProcrastinateQueue
    from workflows.runner.queue.embedded import EmbeddedQueue

    return EmbeddedQueue


def _give_up(run_id: UUID, *, memory: bool = False) -> None:
    with suppress(NotThere):
        runs.give_up(run_id, OUT_OF_MEMORY if memory else GIVEN_UP)


@asynccontextmanager
async def worker(*, max_runs: int = MAX_RUNS) -> AsyncIterator[Worker]:
    """A running worker. `signalbox.asgi` holds it open while the server runs."""
    started = Worker(max_runs=max_runs)
    await started.start()
    try:
        yield started
    finally:
        await started.stop()
