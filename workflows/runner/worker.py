"""A worker: takes jobs from the queue and spends a stint with each run, many at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from workflows import doorbell
from workflows.actions import runs
from workflows.errors import NotThere
from workflows.runner.perform import perform
from workflows.runner.queue.base import Queue
from workflows.runner.queue.embedded import BEAT, POLL, EmbeddedQueue
from workflows.runner.stint import Perform, Stint
from workflows.runner.threads import Threads

THREADS = 4
"""Database connections of a worker. SQLite has one writer anyway; more would only wait."""


class Worker:
    """Lives on the loop it is started on. `poll` and `beat` in seconds, as the queue has them."""

    def __init__(
        self, *, perform: Perform = perform, poll: float = POLL, beat: float = BEAT
    ) -> None:
        self._perform = perform
        self._threads = Threads(size=THREADS, name="worker")
        self._stints: dict[str, Stint] = {}
        self.queue: Queue = EmbeddedQueue(
            self._step, threads=self._threads, give_up=_give_up, poll=poll, beat=beat
        )

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._deaf = doorbell.listen(self._heard)
        await self.queue.start()

    async def stop(self) -> None:
        """Give back what is under way, for any worker to go on with at once."""
        self._deaf()
        await self.queue.stop()
        await self._threads.close()

    async def run_until_idle(self) -> None:
        """Until every run is over, or waits for a person or for its time."""
        await self.queue.until_idle()

    async def _step(self, run_id: UUID) -> None:
        stint = Stint(run_id, perform=self._perform, threads=self._threads)
        self._stints[str(run_id)] = stint
        try:
            await stint.work()
        finally:
            del self._stints[str(run_id)]

    def _heard(self, ring: doorbell.Ring) -> None:
        if isinstance(ring, doorbell.RunRing) and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, ring.run)

    def _take(self, run: str) -> None:
        stint = self._stints.get(run)
        if stint is not None:
            stint.ring()
        else:
            self.queue.wake()


def _give_up(run_id: UUID) -> None:
    try:
        runs.fail(run_id, "The worker ended again and again while it was busy with this run.")
    except NotThere:
        return


@asynccontextmanager
async def worker() -> AsyncIterator[Worker]:
    """A running worker; what `signalbox.asgi` holds open while the server lives."""
    mine = Worker()
    await mine.start()
    try:
        yield mine
    finally:
        await mine.stop()
