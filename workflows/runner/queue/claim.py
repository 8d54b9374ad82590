"""Base class of the queues: the leases of one worker, and its background loops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import UUID

from workflows.runner.database_threads import DatabaseThreads
from workflows.runner.queue.base import Step
from workflows.runner.queue.lease_holder import MAX_RUNS, POLL_INTERVAL, RENEW_INTERVAL, LeaseHolder


class ClaimLoop:
    """Calls `step` for the runs it claims, many at a time. One per worker; start it once."""

    def __init__(
        self,
        step: Step,
        *,
        threads: DatabaseThreads,
        give_up: Callable[[UUID], None],
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
        self._loops: list[asyncio.Task[None]] = []

    async def stop(self) -> None:
        """Cancel the loops and running work, and release the leases."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, self._lease_holder.release_all(), return_exceptions=True)
        self._loops.clear()

    def _start_loops(self, **loops: Coroutine[Any, Any, None]) -> None:
        """Run these coroutines, and the renewal of leases, until `stop`."""
        loops["leases"] = self._lease_holder.renew_periodically()
        self._loops += [
            asyncio.create_task(loop, name=f"queue-{name}") for name, loop in loops.items()
        ]
