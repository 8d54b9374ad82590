"""Wait for a run that ends soon, so that the answer to its start has the whole log."""

from __future__ import annotations

import threading
import time
from uuid import UUID

from workflows.isolation.request_turns import REQUESTS
from workflows.models import Run
from workflows.notifications import bus

RUNNING = "running"


def wait_until_settled(run_id: UUID, seconds: float) -> None:
    """Wait while the run is running, for at most this many seconds. A notification that is lost,
    or sent in another process, costs the whole time."""
    deadline = time.monotonic() + seconds
    changed = threading.Event()

    def on_notification(notification: bus.Notification) -> None:
        if isinstance(notification, bus.RunChanged) and notification.run == str(run_id):
            changed.set()

    stop = bus.subscribe(on_notification)
    try:
        with REQUESTS.lent():
            while _status(run_id) == RUNNING and (left := deadline - time.monotonic()) > 0:
                changed.wait(left)
                changed.clear()
    finally:
        stop()


def _status(run_id: UUID) -> str | None:
    return Run.objects.filter(pk=run_id).values_list("status", flat=True).first()
