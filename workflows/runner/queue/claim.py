"""What every queue is made of: the runs it holds, and the loops that it keeps going."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import UUID

from workflows.runner.database_threads import DatabaseThreads
from workflows.runner.queue.base import Step
from workflows.runner.queue.lease_holder import AT_ONCE, BEAT, POLL, LeaseHolder


class ClaimLoop:
    """Calls `step` for the runs it takes, many at once. One per worker; start it once."""

    def __init__(
        self,
        step: Step,
        *,
        threads: DatabaseThreads,
        give_up: Callable[[UUID], None],
        poll: float = POLL,
        beat: float = BEAT,
        at_once: int = AT_ONCE,
    ) -> None:
        self._threads = threads
        self._poll = poll
        self._beat = beat
        self._at_once = at_once
        self._bell = asyncio.Event()
        """Something may have changed; a run that ends rings it."""
        self._holding = LeaseHolder(
            step, threads=threads, give_up=give_up, ended=self._bell.set, poll=poll, beat=beat
        )
        self._loops: list[asyncio.Task[None]] = []

    async def stop(self) -> None:
        """What is under way goes back as soon as it lets go."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, self._holding.let_go(), return_exceptions=True)
        self._loops.clear()

    def _keep_going(self, **loops: Coroutine[Any, Any, None]) -> None:
        """These until `stop`, and the leases renewed meanwhile."""
        loops["leases"] = self._holding.renew_for_ever()
        self._loops += [
            asyncio.create_task(loop, name=f"queue-{name}") for name, loop in loops.items()
        ]
