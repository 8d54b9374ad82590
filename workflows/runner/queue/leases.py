"""Leases over `Job` rows: database functions. The worker that holds the lease works on the run.

Claiming is one conditional UPDATE per job, so of two workers one succeeds, on any database.

A run is a suspect if its worker died while it held the run and the run has made no progress since.
With each such death a worker holds fewer suspects at a time, down to one: a run that kills its
workers is then alone the next time, and the other suspects make progress and are cleared.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.db.models.functions import Greatest

from workflows.actions import jobs
from workflows.models import Job, RunEvent
from workflows.runner.queue.base import ClaimedJob
from workflows.runner.queue.memory_deaths import died_of
from workflows.runner.queue.worker_identity import is_dead

LEASE = 15.0
"""Seconds after which the job of an unresponsive worker can be claimed by any worker."""
SUSPECT_SHIFT = 2
"""Each death after the first divides the number of suspects that a worker holds by four (two bits):
with room for 5,000 runs, a suspect with seven deaths is the only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """The claimed jobs, and the due time of the next waiting job in seconds since 1970, None
    without one."""

    jobs: tuple[ClaimedJob, ...]
    next_due: float | None


_claiming = threading.Lock()
"""Serialises the claims of suspects: the second thread of a worker sees the first one's claim."""


def claim(
    worker: str,
    *,
    now: float,
    room: int,
    max_runs: int,
    exclude: Collection[UUID],
    lease: float = LEASE,
) -> ClaimResult:
    """Claim up to `room` due jobs: free jobs, jobs with an expired lease, and jobs of dead workers.

    `max_runs`: capacity of this worker when it holds no run. `exclude`: runs that this worker works
    on already; they look free if their lease was renewed late.
    """
    free = Job.objects.filter(_free(now), due_at__lte=now).order_by("due_at")
    most = room + len(exclude)
    claimed: list[ClaimedJob] = []
    for job in chain(free.filter(attempts__gt=0)[:most], free.filter(attempts=0)[:most]):
        if len(claimed) == room:
            break
        if job.run_id in exclude:
            continue
        if lease_taken := _claim_job(job, worker, now=now, max_runs=max_runs, lease=lease):
            claimed.append(lease_taken)
    later = Job.objects.filter(leased_until__lte=now, due_at__gt=now).order_by("due_at")
    return ClaimResult(jobs=tuple(claimed), next_due=later.values_list("due_at", flat=True).first())


def claim_run(
    worker: str, run_id: UUID, *, now: float, max_runs: int, lease: float = LEASE
) -> ClaimedJob | None:
    """Claim this run's job. None if it has no job, it is not due, another worker holds it, or it is
    a suspect that this worker has no room for."""
    job = Job.objects.filter(run_id=run_id, due_at__lte=now).first()
    if job is None or not (_is_free(job, now) or is_dead(job.worker)):
        return None
    return _claim_job(job, worker, now=now, max_runs=max_runs, lease=lease)


def free_runs(*, now: float) -> dict[UUID, int]:
    """Due runs that no worker holds, the longest waiting first, each with its attempts: above 0 for
    a suspect."""
    due = Job.objects.filter(_free(now), due_at__lte=now).order_by("due_at")
    return dict(due.values_list("run_id", "attempts"))


def _free(now: float) -> Q:
    """No lease, an expired one, one of a dead worker, or one from before the clock was set back."""
    impossible = now + 4 * LEASE
    return Q(leased_until__lte=now) | Q(leased_until__gt=impossible) | Q(worker__in=_dead(now))


def _is_free(job: Job, now: float) -> bool:
    """`_free` for one job, except the jobs of dead workers."""
    return not now < job.leased_until <= now + 4 * LEASE


def recheck_all(*, now: float) -> int:
    """Make waiting jobs due now, because the clock was set back. A run that waits for a time
    continues to wait once a worker has read it. Returns their number."""
    with transaction.atomic():
        later = Job.objects.filter(due_at__gt=now)
        runs = list(later.values_list("run_id", flat=True))
        later.update(due_at=now)
        for run in runs:
            jobs.announce(run)
    return len(runs)


def clock_is_behind(*, now: float) -> bool:
    """Return True if the newest event has a time that is still to come."""
    newest = RunEvent.objects.order_by("-pk").values_list("at", flat=True).first()
    return newest is not None and newest > now + 4 * LEASE


def _claim_job(
    job: Job, worker: str, *, now: float, max_runs: int, lease: float
) -> ClaimedJob | None:
    if not job.attempts:
        return _take_lease(job, worker, now=now, lease=lease)
    with _claiming:
        if not _has_room_for(job, worker, now=now, max_runs=max_runs):
            return None
        return _take_lease(job, worker, now=now, lease=lease)


def _has_room_for(job: Job, worker: str, *, now: float, max_runs: int) -> bool:
    """Return True if this worker may hold this suspect in addition to those it holds."""
    suspects = Job.objects.filter(worker=worker, leased_until__gt=now, attempts__gt=1)
    held = suspects.aggregate(count=Count("pk"), worst=Max("attempts", default=0))
    deaths = max(job.attempts, held["worst"] - 1)
    return bool(held["count"] < max(1, max_runs >> SUSPECT_SHIFT * (deaths - 1)))


def _take_lease(job: Job, worker: str, *, now: float, lease: float) -> ClaimedJob | None:
    """Take the lease. None if another worker was faster, which shows as a changed row. `due_at`
    becomes `now`, so that the next of many suspects is a different one."""
    same = Job.objects.filter(pk=job.pk, worker=job.worker, leased_until=job.leased_until)
    if not same.update(
        worker=worker, leased_until=now + lease, due_at=now, attempts=F("attempts") + 1
    ):
        return None
    return ClaimedJob(
        run_id=job.run_id,
        attempts=job.attempts + 1,
        stopped_at=_stopped_at(job, now=now, lease=lease) if job.worker else None,
        died_of_memory=bool(job.worker) and died_of(job.worker, job.run_id),
    )


def _stopped_at(job: Job, *, now: float, lease: float) -> float:
    """The time at which a worker released the job, or renewed its lease last."""
    renewed = job.leased_until - (0.0 if job.worker == INTERRUPTED else lease)
    return min(renewed, now)


def _dead(now: float) -> list[str]:
    holding = Job.objects.filter(leased_until__gt=now).values_list("worker", flat=True).distinct()
    return [worker for worker in holding if is_dead(worker)]


def renew(worker: str, runs: Collection[UUID], *, now: float, lease: float = LEASE) -> set[UUID]:
    """Renew the leases of these runs. Returns the runs whose lease this worker still had."""
    mine = Job.objects.filter(worker=worker, run_id__in=runs)
    mine.update(leased_until=now + lease)
    return set(mine.values_list("run_id", flat=True))


INTERRUPTED = "interrupted"
"""`Job.worker` of a free job whose work was interrupted, so that the next worker knows."""


def release(
    worker: str, run_id: UUID, *, blameless: bool = False, interrupted: bool = False
) -> bool:
    """Release a job if it still exists. `blameless`: do not count this attempt."""
    attempts = Greatest(F("attempts") - 1, 0) if blameless else F("attempts")
    mine = Job.objects.filter(worker=worker, run_id=run_id)
    with transaction.atomic():
        released = bool(
            mine.update(
                worker=INTERRUPTED if interrupted else "",
                leased_until=time.time() if interrupted else 0.0,
                attempts=attempts,
            )
        )
        if released:
            jobs.announce(run_id)
    return released
