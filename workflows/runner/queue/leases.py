"""Leases over `Job` rows, as plain database work: whoever holds one works on the run.

Claiming is one conditional UPDATE per job, so of two workers one gets it, on any database.

A run that was in hand when its worker died, and has not got anywhere since, is a suspect. The more
often that happened, the fewer suspects a worker takes beside it, down to none: what takes workers
down is then alone when it does so again, and the others get on and are suspects no more.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.db.models.functions import Greatest

from workflows.actions import jobs
from workflows.models import Job
from workflows.runner.queue.worker_identity import is_dead

LEASE = 15.0
"""Seconds after which the job of a worker that fell silent is anybody's."""
FEWER = 2
"""With every death after the first a worker takes a suspect beside a quarter (two bits less) of as
many others: with room for 5,000, a run that was in hand at seven deaths is the only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """`attempts` counts how often the run was claimed since it last got anywhere, this one too."""

    run_id: UUID
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What was claimed, and when the next job is due (seconds since 1970) if any waits."""

    jobs: tuple[Claimed, ...]
    next_due: float | None


_claiming = threading.Lock()
"""Of two threads of a worker the second sees what the first one took."""


def claim(
    worker: str,
    *,
    now: float,
    room: int,
    at_once: int,
    but: Collection[UUID],
    lease: float = LEASE,
) -> Claims:
    """Take up to `room` due jobs: free ones, those whose lease ran out, those of dead workers.
    `at_once`: how many this worker has room for when it holds none. `but`: those that it works on
    already, which are free where it was late to renew them."""
    free = Job.objects.filter(_free(now), due_at__lte=now).order_by("due_at")
    most = room + len(but)
    claimed: list[Claimed] = []
    for job in chain(free.filter(attempts__gt=0)[:most], free.filter(attempts=0)[:most]):
        if len(claimed) == room:
            break
        if job.run_id in but:
            continue
        if taken := _claimed(job, worker, now=now, at_once=at_once, lease=lease):
            claimed.append(taken)
    later = Job.objects.filter(leased_until__lte=now, due_at__gt=now).order_by("due_at")
    return Claims(jobs=tuple(claimed), next_due=later.values_list("due_at", flat=True).first())


def claim_run(
    worker: str, run_id: UUID, *, now: float, at_once: int, lease: float = LEASE
) -> Claimed | None:
    """Take this run's job. None where there is none, it is not due, another works on it, or it is a
    suspect that has to wait until this worker holds fewer."""
    job = Job.objects.filter(_free(now), run_id=run_id, due_at__lte=now).first()
    if job is None:
        return None
    return _claimed(job, worker, now=now, at_once=at_once, lease=lease)


def free_runs(*, now: float) -> dict[UUID, int]:
    """Runs that nobody works on although they are due, the longest waiting first, each with its
    attempts: of a suspect more than 0."""
    due = Job.objects.filter(_free(now), due_at__lte=now).order_by("due_at")
    return dict(due.values_list("run_id", "attempts"))


def _free(now: float) -> Q:
    return Q(leased_until__lte=now) | Q(worker__in=_dead(now))


def _claimed(job: Job, worker: str, *, now: float, at_once: int, lease: float) -> Claimed | None:
    if not job.attempts:
        return _taken(job, worker, now=now, lease=lease)
    with _claiming:
        if not _has_room_for(job, worker, now=now, at_once=at_once):
            return None
        return _taken(job, worker, now=now, lease=lease)


def _has_room_for(job: Job, worker: str, *, now: float, at_once: int) -> bool:
    """Whether this suspect may join those that this worker has in hand."""
    in_hand = Job.objects.filter(worker=worker, leased_until__gt=now, attempts__gt=1)
    held = in_hand.aggregate(count=Count("pk"), worst=Max("attempts", default=0))
    deaths = max(job.attempts, held["worst"] - 1)
    return bool(held["count"] < max(1, at_once >> FEWER * (deaths - 1)))


def _taken(job: Job, worker: str, *, now: float, lease: float) -> Claimed | None:
    """None where another got it: the row is not as it was read. It is due again from now on, so
    that of many suspects the next one is another."""
    same = Job.objects.filter(pk=job.pk, worker=job.worker, leased_until=job.leased_until)
    if not same.update(
        worker=worker, leased_until=now + lease, due_at=now, attempts=F("attempts") + 1
    ):
        return None
    return Claimed(run_id=job.run_id, attempts=job.attempts + 1)


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
