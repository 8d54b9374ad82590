"""Interface between runs and the queues that deliver them to workers.

Enqueuing is part of the caller's transaction: `actions.runs` writes the run's one `Job` row. A
queue passes the run's id to `step`, which works on the run until no worker can continue. After a
crash a worker calls `step` for the run again: `step` reads the log and repeats only the requests
without an answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedJob:
    """`attempts`: claims of the run since its last progress, this one included. `stopped_at`:
    the last sign, in seconds since 1970, of the worker that stopped or died while it worked on the
    run; None if none did. `died_of_memory`: that worker died of memory while it computed the run's
    next step."""

    run_id: UUID
    attempts: int
    stopped_at: float | None = None
    died_of_memory: bool = False


Step: TypeAlias = Callable[[ClaimedJob], Awaitable[None]]
"""Work on one run. Cancelled when another worker takes the run over, or when this worker stops."""


class Queue(Protocol):
    """Delivers runs to `step`, many at a time."""

    async def start(self) -> None:
        """Start to claim jobs."""
        ...

    async def stop(self) -> None:
        """Claim no more jobs, cancel running work, and release its jobs for other workers."""
        ...

    def wake(self) -> None:
        """Announce that there may be a new job. Can be called from any thread."""
        ...

    def at_work(self, run_id: UUID) -> AbstractContextManager[None]:
        """Mark a run while its next step is computed. Can be called from any thread."""
        ...

    async def wait_until_idle(self) -> None:
        """Wait until this worker works on no run and no job is due."""
        ...
