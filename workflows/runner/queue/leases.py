"""Leases over `Job` rows, as plain database work: whoever holds one works on the run.

Claiming is one conditional UPDATE per job, so of two workers one gets it, on any database.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Greatest

from workflows.actions import jobs
from workflows.models import Job
from workflows.runner.queue.identity import is_dead

LEASE = 15.0
"""Seconds after which the job of a worker that fell silent is anybody's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """`attempts` counts how often the run was claimed since it last got anywhere."""

    run_id: UUID
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What was claimed, and when the next job is due (seconds since 1970) if any waits."""

    jobs: tuple[Claimed, ...]
    next_due: float | None


def claim(
    worker: str, *, now: float, room: int, but: Collection[UUID], lease: float = LEASE
) -> Claims:
    """Take up to `room` due jobs: free ones, those whose lease ran out, those of dead workers."""
    others = Job.objects.exclude(run_id__in=but)
    claimed = [
        Claimed(run_id=job.run_id, attempts=job.attempts + 1)
        for job in others.filter(_free(now), due_at__lte=now).order_by("due_at")[:room]
        if _taken(job, worker, until=now + lease)
    ]
    later = others.filter(leased_until__lte=now, due_at__gt=now).order_by("due_at")
    return Claims(jobs=tuple(claimed), next_due=later.values_list("due_at", flat=True).first())


def claim_run(worker: str, run_id: UUID, *, now: float, lease: float = LEASE) -> Claimed | None:
    """Take this run's job. None where there is none, it is not due, or another works on it."""
    job = Job.objects.filter(_free(now), run_id=run_id, due_at__lte=now).first()
    if job is None or not _taken(job, worker, until=now + lease):
        return None
    return Claimed(run_id=run_id, attempts=job.attempts + 1)


def free_runs(*, now: float) -> tuple[UUID, ...]:
    """Runs that nobody works on although they are due, the longest waiting first."""
    due = Job.objects.filter(_free(now), due_at__lte=now).order_by("due_at")
    return tuple(due.values_list("run_id", flat=True))


def _free(now: float) -> Q:
    return Q(leased_until__lte=now) | Q(worker__in=_dead(now))


def _taken(job: Job, worker: str, *, until: float) -> bool:
    """Whether this worker got it: the row is as it was read."""
    same = Job.objects.filter(pk=job.pk, worker=job.worker, leased_until=job.leased_until)
    return bool(same.update(worker=worker, leased_until=until, attempts=F("attempts") + 1))


def _dead(now: float) -> list[str]:
    holding = Job.objects.filter(leased_until__gt=now).values_list("worker", flat=True).distinct()
    return [worker for worker in holding if is_dead(worker)]


def renew(worker: str, runs: Collection[UUID], *, now: float, lease: float = LEASE) -> set[UUID]:
    """Hold on to these runs. Returns those whose lease this worker still had."""
    mine = Job.objects.filter(worker=worker, run_id__in=runs)
    mine.update(leased_until=now + lease)
    return set(mine.values_list("run_id", flat=True))


def release(worker: str, run_id: UUID, *, untouched: bool = False) -> bool:
    """Give a job back, if it is still there. `untouched`: this was no attempt at it."""
    attempts = Greatest(F("attempts") - 1, 0) if untouched else F("attempts")
    mine = Job.objects.filter(worker=worker, run_id=run_id)
    with transaction.atomic():
        given_back = bool(mine.update(worker="", leased_until=0.0, attempts=attempts))
        if given_back:
            jobs.announce(run_id)
    return given_back
