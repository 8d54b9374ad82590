"""The seam between runs and whatever brings them to a worker.

Enqueuing is part of the caller's transaction (`actions.runs` writes the run's one `Job` row); a
queue hands the run's id to `step`, which works on it until no worker can go on. Whatever happens to
the process in between, some worker calls `step` for this run again: `step` reads the log and asks
again only for what was asked and not answered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias
from uuid import UUID

Step: TypeAlias = Callable[[UUID], Awaitable[None]]
"""Work on one run. Cancelled when another worker took it over, or when this one stops."""


class Queue(Protocol):
    """Brings runs to `step`, many at once."""

    async def start(self) -> None:
        """Begin to take jobs."""
        ...

    async def stop(self) -> None:
        """Take no more, cancel what is under way, and give it back for others to take at once."""
        ...

    def wake(self) -> None:
        """There may be a new job. Callable from any thread."""
        ...

    async def until_idle(self) -> None:
        """Until no run is under way here and no job is due."""
        ...
