"""A queue with nothing to install: an asyncio loop over `Job` rows, inside the server process."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from uuid import UUID

from django.db import Error as DatabaseError

from workflows.runner.queue import leases
from workflows.runner.queue.base import Step
from workflows.runner.queue.identity import new_worker
from workflows.runner.threads import Threads

log = logging.getLogger(__name__)

POLL = 1.0
"""Seconds between looks at the table when no bell rings."""
BEAT = 5.0
"""Seconds between renewals of the leases held."""
AT_ONCE = 200
"""Runs under way in one worker."""
GIVE_UP_AFTER = 20
"""Times that a run may take its worker down, or be left by it, without getting anywhere."""


class EmbeddedQueue:
    """Claims due jobs and calls `step` for each, many at once. One per worker; start it once."""

    def __init__(
        self,
        step: Step,
        *,
        threads: Threads,
        give_up: Callable[[UUID], None],
        poll: float = POLL,
        beat: float = BEAT,
        at_once: int = AT_ONCE,
    ) -> None:
        self.worker = new_worker()
        self._step = step
        self._threads = threads
        self._give_up = give_up
        self._poll = poll
        self._beat = beat
        self._at_once = at_once
        self._under_way: dict[UUID, asyncio.Task[None]] = {}
        self._bell = asyncio.Event()
        self._idle = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks = [
            asyncio.create_task(self._claim_for_ever(), name="queue-claims"),
            asyncio.create_task(self._renew_for_ever(), name="queue-leases"),
        ]

    async def stop(self) -> None:
        tasks = [*self._tasks, *self._under_way.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks.clear()

    def wake(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._bell.set)

    async def until_idle(self) -> None:
        self._idle.clear()
        self._bell.set()
        await self._idle.wait()

    async def _claim_for_ever(self) -> None:
        while True:
            self._bell.clear()
            wait = self._poll
            try:
                wait = await self._claim()
            except Exception:
                log.exception("Could not look for jobs; trying again")
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._bell.wait()

    async def _claim(self) -> float:
        """Claim and begin what there is room for. Returns how long to wait for the next look."""
        room = self._at_once - len(self._under_way)
        if room <= 0:
            return self._poll
        now = time.time()
        found = await self._threads.run(
            leases.claim, self.worker, now=now, room=room, but=tuple(self._under_way)
        )
        for job in found.jobs:
            self._begin(job)
        if not self._under_way and not self._bell.is_set():
            self._idle.set()
        if found.next_due is None:
            return self._poll
        return max(0.0, min(self._poll, found.next_due - time.time()))

    def _begin(self, job: leases.Claimed) -> None:
        task = asyncio.create_task(self._work(job), name=f"run-{job.run_id}")
        self._under_way[job.run_id] = task
        task.add_done_callback(lambda _: self._ended(job.run_id))

    def _ended(self, run_id: UUID) -> None:
        self._under_way.pop(run_id, None)
        self._bell.set()

    async def _work(self, job: leases.Claimed) -> None:
        stopped = False
        try:
            if job.attempts > GIVE_UP_AFTER:
                await self._threads.run(self._give_up, job.run_id)
            else:
                await self._step(job.run_id)
        except asyncio.CancelledError:
            stopped = True
            raise
        except Exception:
            log.exception("Run %s was put down; it will be taken up again", job.run_id)
            await asyncio.sleep(self._poll)
        finally:
            with suppress(DatabaseError):
                await self._threads.run(leases.release, self.worker, job.run_id, untouched=stopped)

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._beat)
            held = dict(self._under_way)
            try:
                mine = await self._threads.run(
                    leases.renew, self.worker, tuple(held), now=time.time()
                )
            except DatabaseError:
                log.exception("Could not renew leases; trying again")
                continue
            for run_id, task in held.items():
                if run_id not in mine:
                    task.cancel()
