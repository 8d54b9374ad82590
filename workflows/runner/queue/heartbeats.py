"""Heartbeats of workers, so that a server knows whether any is running, also without a run."""

from __future__ import annotations

import platform
import time

from workflows.installation import version
from workflows.models import WorkerHeartbeat

DAY = 86_400.0
"""Seconds after which the row of a killed worker is deleted."""


def beat(worker: str, *, runs: int, started_at: float) -> None:
    """Store that this worker is running now and holds this number of runs."""
    now = time.time()
    seen = {"seen_at": now, "runs": runs}
    if WorkerHeartbeat.objects.filter(worker=worker).update(**seen):
        return
    WorkerHeartbeat.objects.filter(seen_at__lt=now - DAY).delete()
    WorkerHeartbeat.objects.create(
        worker=worker, host=platform.node()[:200], version=version(), started_at=started_at, **seen
    )


def end(worker: str) -> None:
    """Delete the row of a worker that stops."""
    WorkerHeartbeat.objects.filter(worker=worker).delete()
