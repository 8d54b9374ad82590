"""A queue with nothing to install: an asyncio loop over `Job` rows, inside the server process."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from uuid import UUID

from workflows.runner.queue import leases
from workflows.runner.queue.base import Step
from workflows.runner.queue.holding import AT_ONCE, BEAT, POLL, Holding
from workflows.runner.threads import Threads

log = logging.getLogger(__name__)


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
        self._threads = threads
        self._poll = poll
        self._at_once = at_once
        self._bell = asyncio.Event()
        self._idle = asyncio.Event()
        self._holding = Holding(
            step, threads=threads, give_up=give_up, ended=self._bell.set, poll=poll, beat=beat
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks = [
            asyncio.create_task(self._claim_for_ever(), name="queue-claims"),
            asyncio.create_task(self._holding.renew_for_ever(), name="queue-leases"),
        ]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, self._holding.let_go(), return_exceptions=True)
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
        room = self._at_once - len(self._holding)
        if room <= 0:
            return self._poll
        found = await self._threads.run(
            leases.claim,
            self._holding.worker,
            now=time.time(),
            room=room,
            but=self._holding.runs,
        )
        for job in found.jobs:
            self._holding.begin(job)
        if not self._holding and not self._bell.is_set():
            self._idle.set()
        if found.next_due is None:
            return self._poll
        return max(0.0, min(self._poll, found.next_due - time.time()))
