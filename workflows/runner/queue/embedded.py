"""A queue with nothing to install: an asyncio loop over `Job` rows, inside the server process."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress

from workflows.runner.queue import leases
from workflows.runner.queue.claim import ClaimLoop

log = logging.getLogger(__name__)


class EmbeddedQueue(ClaimLoop):
    """Claims due jobs itself."""

    _idle: asyncio.Event
    _loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        self._loop, self._idle = asyncio.get_running_loop(), asyncio.Event()
        self._keep_going(claims=self._claim_for_ever())

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
            at_once=self._at_once,
            but=self._holding.runs,
        )
        for job in found.jobs:
            self._holding.begin(job)
        if not self._holding and not self._bell.is_set():
            self._idle.set()
        if found.next_due is None:
            return self._poll
        return max(0.0, min(self._poll, found.next_due - time.time()))
