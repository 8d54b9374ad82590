"""The `Job` row of a run, and its announcement to the queue.

The row is the truth for every queue. On PostgreSQL a Procrastinate job that names the run is
written in the same transaction. A superfluous one is harmless: it finds nothing to do and ends.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import UUID

from django.apps import apps

from workflows.models import Job, Run

QUEUE = "runs"
TASK = "signalbox.run"


def add(run: Run) -> None:
    """The job of a new run, due now."""
    Job.objects.create(run=run, due_at=time.time())
    announce(run.pk)


def make_due(run: Run) -> None:
    """Make the run due now. A worker that already holds it gets a notification instead."""
    if Job.objects.filter(run_id=run.pk).exclude(worker="").update(attempts=0):
        return
    if Job.objects.filter(run_id=run.pk).update(due_at=time.time(), attempts=0):
        announce(run.pk)
    else:
        add(run)


def sleep_until(run_id: UUID, due: float) -> None:
    """Make the job due at a time, in seconds since 1970."""
    put_down = {"leased_until": 0.0, "worker": "", "attempts": 0}
    if Job.objects.filter(run_id=run_id).update(due_at=due, **put_down):
        announce(run_id, due)


def announce(run_id: UUID, due: float | None = None) -> None:
    """Announce a free job to the queue, due now or later. Part of the caller's transaction."""
    if not uses_queue():
        return
    from procrastinate.contrib.django import app

    at = None if due is None else datetime.fromtimestamp(due, UTC)
    app.configure_task(TASK, queue=QUEUE, schedule_at=at).defer(run=str(run_id))


def uses_queue() -> bool:
    """Return True if Procrastinate delivers runs; otherwise workers poll the rows."""
    return apps.is_installed("procrastinate.contrib.django")
