"""The state of the whole installation: workers, queue, schedules, messages, disk and database.

The status page, `/readyz` and `/metrics` all read it here, so they agree.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import F, QuerySet
from django.utils import timezone

from workflows.installation import version
from workflows.models import (
    ApprovalNotice,
    Firing,
    Job,
    Milestone,
    RepositoryTask,
    RunEvent,
    Trigger,
    WorkerHeartbeat,
)

SILENT = 20.0
"""Seconds without a heartbeat, of one in five seconds, after which a worker does not count."""
WAITS = 10.0
"""Seconds that a run may be due before its wait is reported."""
STUCK = 600.0
"""Seconds without an event after which a run that a worker holds counts as stuck."""
LATE = timedelta(seconds=60)
"""Delay after which a schedule is late."""
LOW_DISK = 0.05
"""Part of the disk that must be free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Numbers of runs, and the one that has been due for the longest time."""

    waiting: int
    held: int
    sleeping: int
    stuck: int
    oldest: Job | None
    oldest_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """Bytes of the disk of the data folder."""

    free: int
    total: int

    @property
    def is_low(self) -> bool:
        return self.free < LOW_DISK * self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    version: str
    workers: Sequence[WorkerHeartbeat]
    queue: Queue
    late_schedules: Sequence[Trigger]
    next_schedule: Trigger | None
    repository_tasks: Sequence[RepositoryTask]
    undelivered_messages: int
    undelivered_results: int
    disk: Disk
    database: str
    database_bytes: int
    migrated: Milestone | None
    backup: Milestone | None

    @property
    def warnings(self) -> list[str]:
        """One sentence for each problem that concerns the operator."""
        return _warnings(self)


def status() -> Status:
    """The state now. Raises DatabaseError and OSError."""
    now = timezone.now()
    schedules = Trigger.objects.filter(enabled=True, next_at__isnull=False).order_by("next_at")
    milestones = {row.kind: row for row in Milestone.objects.all()}
    return Status(
        version=version(),
        workers=list(live_workers()),
        queue=queue(),
        late_schedules=list(schedules.filter(next_at__lt=now - LATE).select_related("pack")),
        next_schedule=schedules.filter(next_at__gte=now - LATE).select_related("pack").first(),
        repository_tasks=list(
            RepositoryTask.objects.filter(status="running").select_related("repository")
        ),
        undelivered_messages=ApprovalNotice.objects.filter(done_at=None, tries__gt=0).count(),
        undelivered_results=Firing.objects.filter(
            callback_due__isnull=False, callback_tries__gt=0
        ).count(),
        disk=disk(),
        database=connection.vendor,
        database_bytes=database_bytes(),
        migrated=milestones.get(Milestone.Kind.MIGRATION),
        backup=milestones.get(Milestone.Kind.BACKUP),
    )


def live_workers() -> QuerySet[WorkerHeartbeat]:
    """Workers with a heartbeat in the last seconds, the longest running first."""
    return WorkerHeartbeat.objects.filter(seen_at__gt=time.time() - SILENT).order_by("started_at")


def queue() -> Queue:
    """The queue of runs now."""
    now = time.time()
    jobs = Job.objects.all()
    free = jobs.filter(due_at__lte=now, leased_until__lte=now)
    oldest = free.order_by("due_at").select_related("run").first()
    stuck = RunEvent.objects.filter(
        run__job__leased_until__gt=now, n=F("run__last"), at__lt=now - STUCK
    )
    return Queue(
        waiting=free.count(),
        held=jobs.filter(leased_until__gt=now).count(),
        sleeping=jobs.filter(due_at__gt=now).count(),
        stuck=stuck.count(),
        oldest=oldest,
        oldest_seconds=now - oldest.due_at if oldest else 0.0,
    )


def disk() -> Disk:
    """The disk of the data folder. Raises OSError."""
    usage = shutil.disk_usage(settings.DATA)
    return Disk(free=usage.free, total=usage.total)


def database_bytes() -> int:
    """Size of the database; 0 if it is not known."""
    if connection.vendor == "sqlite":
        file = Path(connection.settings_dict["NAME"])
        parts = (file.with_name(file.name + ending) for ending in ("", "-wal"))
        return sum(part.stat().st_size for part in parts if part.is_file())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        (size,) = cursor.fetchone()
    return int(size)


def _warnings(state: Status) -> list[str]:
    found = []
    waiting = state.queue
    if not state.workers:
        found.append("No worker is running, so no run continues and no schedule starts one.")
    elif waiting.oldest_seconds > WAITS:
        found.append(
            f"{waiting.waiting} runs wait for a worker, the first for "
            f"{waiting.oldest_seconds:.0f} seconds."
        )
    if waiting.stuck:
        found.append(
            f"{waiting.stuck} runs have had no event for {STUCK / 60:.0f} minutes although a "
            "worker holds them."
        )
    if state.late_schedules:
        names = ", ".join(trigger.name for trigger in state.late_schedules[:5])
        found.append(f"{len(state.late_schedules)} schedules are late: {names}.")
    if state.undelivered_messages:
        found.append(f"{state.undelivered_messages} messages about approvals were refused.")
    if state.undelivered_results:
        found.append(f"{state.undelivered_results} results were not accepted by their callback.")
    if state.disk.is_low:
        found.append(f"The disk has {state.disk.free // 2**20:,} MiB left.")
    return found
