"""A queue without dependencies: an asyncio loop over `Job` rows, inside the server process."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress

from workflows.runner.queue import leases
from workflows.runner.queue.claim import ClaimLoop

log = logging.getLogger(__name__)


class EmbeddedQueue(ClaimLoop):
    """Claims due jobs by polling, and at once after `wake`."""

    _idle: asyncio.Event
    _loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        self._loop, self._idle = asyncio.get_running_loop(), asyncio.Event()
        self._start_loops(claims=self._poll_jobs())

    def wake(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wakeup.set)

    async def wait_until_idle(self) -> None:
        self._idle.clear()
        self._wakeup.set()
        await self._idle.wait()

    async def _poll_jobs(self) -> None:
        while True:
            self._wakeup.clear()
            wait = self._poll_interval
            try:
                wait = await self._claim()
            except Exception:
                log.exception("Polling for jobs failed; retrying")
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._wakeup.wait()

    async def _claim(self) -> float:
        """Claim and start as many jobs as fit. Returns the seconds until the next poll."""
        room = self._max_runs - len(self._lease_holder)
        if room <= 0:
            return self._poll_interval
        claimed = await self._threads.run(
            leases.claim,
            self._lease_holder.worker,
            now=time.time(),
            room=room,
            max_runs=self._max_runs,
            exclude=self._lease_holder.runs,
        )
        for job in claimed.jobs:
            self._lease_holder.begin(job)
        if not self._lease_holder and not self._wakeup.is_set():
            self._idle.set()
        if claimed.next_due is None:
            return self._poll_interval
        return max(0.0, min(self._poll_interval, claimed.next_due - time.time()))
