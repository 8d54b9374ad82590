"""A worker: takes jobs from the queue and spends a stint with each run, many at once."""

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
from workflows.runner.inline import advance, notifies_itself
from workflows.runner.models.clients import close_clients
from workflows.runner.queue.base import Queue
from workflows.runner.queue.lease_holder import AT_ONCE, BEAT, GIVE_UP_AFTER, POLL

log = logging.getLogger(__name__)

THREADS = 4
"""Database connections of a worker. SQLite has one writer anyway; more would only wait."""
GIVEN_UP = (
    f"Work on this run broke off {GIVE_UP_AFTER} times and it got nowhere. The logs of servers and"
    " workers say why; resumed, it is tried again."
)


class Worker:
    """Lives on the loop it is started on. `poll` and `beat` in seconds, as the queue has them;
    `at_once`: how many runs it has under way at most."""

    def __init__(
        self,
        *,
        perform: Perform = perform,
        poll: float = POLL,
        beat: float = BEAT,
        at_once: int = AT_ONCE,
    ) -> None:
        self._perform = perform
        self._threads = DatabaseThreads(size=THREADS, name="worker")
        self._stints: dict[str, RunExecutor] = {}
        self._poll = poll
        self.queue: Queue = _queue_class()(
            self._step,
            threads=self._threads,
            give_up=_give_up,
            poll=poll,
            beat=beat,
            at_once=at_once,
        )

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._deaf = bus.subscribe(self._heard)
        self._looks = asyncio.create_task(self._look_for_ever(), name="worker-looks")
        await self.queue.start()

    async def stop(self) -> None:
        """Give back what is under way, for any worker to go on with at once."""
        self._deaf()
        self._looks.cancel()
        await asyncio.gather(self._looks, return_exceptions=True)
        await self.queue.stop()
        await close_clients()
        await self._threads.close()

    async def run_until_idle(self) -> None:
        """Until every run is over, or waits for a person or for its time."""
        await self.queue.until_idle()

    async def _step(self, run_id: UUID) -> None:
        stint = RunExecutor(
            run_id,
            perform=self._perform,
            threads=self._threads,
            carry_on=advance if self._perform is perform else read_only,
        )
        self._stints[str(run_id)] = stint
        try:
            await stint.work()
        finally:
            del self._stints[str(run_id)]

    async def _look_for_ever(self) -> None:
        """What others say to the runs under way here, where no bell of theirs is heard. Those where
        nothing happened since the last look are put down."""
        before: dict[str, int] = {}
        while True:
            await asyncio.sleep(self._poll)
            seen = {run: stint.seen for run, stint in self._stints.items()}
            for run in seen.keys() & before.keys():
                if seen[run] == before[run]:
                    self._stints[run].put_down()
            before = seen
            if not seen:
                continue
            try:
                newest = await self._threads.run(runs.newest, tuple(seen))
            except DatabaseError:
                log.exception("Could not look for news of runs; trying again")
                continue
            for run, stint in self._stints.items():
                if newest.get(run, 0) > seen.get(run, 0):
                    stint.ring()

    def _heard(self, ring: bus.Notification) -> None:
        if not isinstance(ring, bus.RunChanged) or notifies_itself(ring.run):
            return
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, ring.run)

    def _take(self, run: str) -> None:
        stint = self._stints.get(run)
        if stint is not None:
            stint.ring()
        else:
            self.queue.wake()


def _queue_class() -> Callable[..., Queue]:
    """The one that the database has."""
    if jobs.queue_is_told():
        from workflows.runner.queue.procrastinate import ProcrastinateQueue

        return ProcrastinateQueue
    from workflows.runner.queue.embedded import EmbeddedQueue

    return EmbeddedQueue


def _give_up(run_id: UUID) -> None:
    with suppress(NotThere):
        runs.give_up(run_id, GIVEN_UP)


@asynccontextmanager
async def worker(*, at_once: int = AT_ONCE) -> AsyncIterator[Worker]:
    """A running worker; what `signalbox.asgi` holds open while the server lives."""
    mine = Worker(at_once=at_once)
    await mine.start()
    try:
        yield mine
    finally:
        await mine.stop()
