"""Base class of the queues: the leases of one worker, and its background loops."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractContextManager, suppress
from typing import Any
from uuid import UUID

from workflows.runner.database_threads import DATABASE_UNAVAILABLE, DatabaseThreads
from workflows.runner.queue.base import Step
from workflows.runner.queue.clock import WallClock
from workflows.runner.queue.lease_holder import (
    MAX_RUNS,
    POLL_INTERVAL,
    RENEW_INTERVAL,
    GiveUp,
    LeaseHolder,
)


class ClaimLoop:
    """Calls `step` for the runs it claims, many at a time. One per worker; start it once."""

    def __init__(
        self,
        step: Step,
        *,
        threads: DatabaseThreads,
        give_up: GiveUp,
        poll_interval: float = POLL_INTERVAL,
        renew_interval: float = RENEW_INTERVAL,
        max_runs: int = MAX_RUNS,
    ) -> None:
        self._threads = threads
        self._poll_interval = poll_interval
        self._renew_interval = renew_interval
        self._max_runs = max_runs
        self._wakeup = asyncio.Event()
        """Set when there may be a new job, and when a run has finished."""
        self._lease_holder = LeaseHolder(
            step,
            threads=threads,
            give_up=give_up,
            on_finished=self._wakeup.set,
            poll_interval=poll_interval,
            renew_interval=renew_interval,
        )
        self._clock = WallClock()
        self._loops: list[asyncio.Task[None]] = []

    async def stop(self) -> None:
        """Cancel the loops and running work, and release the leases."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, self._lease_holder.release_all(), return_exceptions=True)
        self._loops.clear()

    def at_work(self, run_id: UUID) -> AbstractContextManager[None]:
        """Mark a run while its next step is computed, for `memory_deaths`."""
        return self._lease_holder.record.at_work(run_id)

    def _start_loops(self, **loops: Coroutine[Any, Any, None]) -> None:
        """Run these coroutines, and the renewal of leases, until `stop`."""
        loops["clock"] = self._follow_clock()
        loops["leases"] = self._lease_holder.renew_periodically()
        self._loops += [
            asyncio.create_task(loop, name=f"queue-{name}") for name, loop in loops.items()
        ]

    async def _follow_clock(self) -> None:
        """Notice that the wall clock was set back."""
        while True:
            with suppress(*DATABASE_UNAVAILABLE):
                if await self._clock.follow(self._threads):
                    self._wakeup.set()
            await asyncio.sleep(self._poll_interval)
