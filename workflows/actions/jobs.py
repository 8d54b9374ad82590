"""A run's one `Job` row, and word of it to whatever brings runs to workers.

The row is the truth, whoever asks. On PostgreSQL a Procrastinate job that names the run is written
in the same transaction; one that finds nothing to do ends at once, so one too many is harmless.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import UUID

from django.apps import apps

from workflows.actions.log_rows import Rows
from workflows.models import Job, Run

QUEUE = "runs"
TASK = "signalbox.run"


def make_due(run: Run) -> None:
    """Have a worker go on with this run now. Whoever holds it hears the bell instead."""
    with Rows(run) as rows:
        if rows.got_somewhere():
            return
    now = time.time()
    if not Job.objects.filter(run_id=run.pk).update(due_at=now, attempts=0):
        Job.objects.create(run=run, due_at=now)
    announce(run.pk)


def sleep_until(run_id: UUID, due: float) -> None:
    """Put the job down until its time, in seconds since 1970."""
    put_down = {"leased_until": 0.0, "worker": "", "attempts": 0}
    if Job.objects.filter(run_id=run_id).update(due_at=due, **put_down):
        announce(run_id, due)


def announce(run_id: UUID, due: float | None = None) -> None:
    """Tell the queue of a free job, at once or for its time. Part of the caller's transaction."""
    if not queue_is_told():
        return
    from procrastinate.contrib.django import app

    at = None if due is None else datetime.fromtimestamp(due, UTC)
    app.configure_task(TASK, queue=QUEUE, schedule_at=at).defer(run=str(run_id))


def queue_is_told() -> bool:
    """Whether runs are brought by Procrastinate; otherwise workers look at the rows themselves."""
    return apps.is_installed("procrastinate.contrib.django")
