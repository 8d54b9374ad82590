"""The wall clock of a worker, which an operator or NTP may set back."""

from __future__ import annotations

import logging
import time

from workflows.runner.database_threads import DatabaseThreads
from workflows.runner.queue import leases

log = logging.getLogger(__name__)

TOLERANCE = 5.0
"""Seconds that the clock may be set back unnoticed."""


class WallClock:
    """Notices that the clock was set back, also before this process started. Jobs are then due by a
    time that is still to come, and would be left alone until then."""

    def __init__(self) -> None:
        self._offset: float | None = None
        """Seconds of the wall clock ahead of the monotonic clock."""

    async def follow(self, threads: DatabaseThreads) -> bool:
        """Make all waiting jobs due if the clock was set back since the last call. Returns True if
        it was."""
        now, offset = time.time(), time.time() - time.monotonic()
        if self._offset is None:
            behind = await threads.run(leases.clock_is_behind, now=now)
        else:
            behind = offset < self._offset - TOLERANCE
        if behind:
            count = await threads.run(leases.recheck_all, now=now)
            log.warning("The clock was set back; %d waiting jobs are checked now.", count)
        self._offset = offset
        return behind
