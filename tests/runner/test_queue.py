"""Leases: claims, renewal, release, dead workers and suspects."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.db import connection

from tests.runner.conftest import Begin
from workflows.models import Job, Run
from workflows.runner.queue import leases
from workflows.runner.queue.lease_holder import GIVE_UP_AFTER
from workflows.runner.queue.worker_identity import is_dead, new_worker

LOOP = {"start": {"model": {"stay": "start", "on": "done"}}, "done": {"end": "completed"}}


MAX_RUNS = 30


def claim(worker: str, now: float, room: int = 10) -> list[UUID]:
    found = leases.claim(worker, now=now, room=room, max_runs=MAX_RUNS, exclude=())
    return [job.run_id for job in found.jobs]


def looked_for(worker: str, now: float) -> list[UUID]:
    """Runs that a worker of the embedded queue claims."""
    return claim(worker, now, room=MAX_RUNS)


def brought(worker: str, now: float) -> list[UUID]:
    """Runs that a worker claims after Procrastinate has delivered them."""
    return [
        run
        for run in leases.free_runs(now=now)
        if leases.claim_run(worker, run, now=now, max_runs=MAX_RUNS)
    ]


def test_a_worker_does_not_claim_its_own_runs_again(begin: Begin) -> None:
    for _ in range(3):
        begin(LOOP)
    now = time.time()
    held = claim("one", now, room=2)
    late = now + leases.LEASE + 1
    found = leases.claim("one", now=late, room=1, max_runs=MAX_RUNS, exclude=held)
    (other,) = [job.run_id for job in found.jobs]
    assert other not in held
    assert not leases.claim("one", now=late, room=9, max_runs=MAX_RUNS, exclude=[*held, other]).jobs


def test_a_job_is_claimed_by_one_worker(begin: Begin) -> None:
    runs = {begin(LOOP).pk for _ in range(20)}

    def worker(number: int) -> list[Run]:
        try:
            return claim(f"worker {number}", time.time(), room=20)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        taken = [run for claimed in pool.map(worker, range(4)) for run in claimed]
    assert sorted(taken) == sorted(runs)


def test_an_expired_lease_can_be_claimed(begin: Begin) -> None:
    run = begin(LOOP)
    now = time.time()
    assert claim("one", now) == [run.pk]
    assert claim("two", now + leases.LEASE - 1) == []
    assert claim("two", now + leases.LEASE + 1) == [run.pk]


def test_a_renewed_lease_holds(begin: Begin) -> None:
    run = begin(LOOP)
    now = time.time()
    claim("one", now)
    assert leases.renew("one", [run.pk], now=now + 10) == {run.pk}
    assert claim("two", now + 20) == []
    assert leases.renew("two", [run.pk], now=now + 10) == set()


@pytest.mark.parametrize("take", [looked_for, brought])
def test_a_dead_workers_lease_is_free_at_once(
    begin: Begin, take: Callable[[str, float], list[UUID]]
) -> None:
    script = (
        "from workflows.runner.queue.worker_identity import new_worker; "
        "print(new_worker(), flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        other = process.stdout.readline().strip()
        run = begin(LOOP)
        now = time.time()
        assert claim(other, now) == [run.pk]
        assert not is_dead(other)
        assert take("two", now) == []
        process.kill()
    assert is_dead(other)
    assert take("two", now) == [run.pk]


@pytest.mark.parametrize("worker", ["", "someone", "a/b/c/d/e", "//1//1", "x/y/1/2/3"])
def test_a_worker_of_another_machine_is_not_dead(worker: str) -> None:
    assert not is_dead(worker)


def test_a_reused_process_id_is_dead() -> None:
    place, namespace, pid, started, serial = new_worker().split("/")
    assert int(pid) == os.getpid()
    assert is_dead("/".join((place, namespace, pid, str(int(started) - 1), serial)))


def test_a_job_is_not_claimed_before_it_is_due(begin: Begin) -> None:
    run = begin(LOOP)
    Job.objects.filter(run=run).update(due_at=2_000.0)
    found = leases.claim("one", now=1_000.0, room=10, max_runs=MAX_RUNS, exclude=())
    assert (found.jobs, found.next_due) == ((), 2_000.0)
    assert claim("one", 2_000.0) == [run.pk]


def test_a_released_job_is_free_and_counts_real_attempts(begin: Begin) -> None:
    run = begin(LOOP)
    for blameless, attempts in ((True, 0), (False, 1), (False, 2), (True, 2)):
        claim("one", time.time())
        assert leases.release("one", run.pk, blameless=blameless)
        assert Job.objects.get(run=run).attempts == attempts
    assert not leases.release("two", run.pk)


@pytest.mark.parametrize("take", [looked_for, brought])
def test_a_run_that_kills_workers_does_not_affect_others(
    begin: Begin, take: Callable[[str, float], list[UUID]]
) -> None:
    poison, *innocent = (begin(LOOP).pk for _ in range(10))
    now, most = time.time(), Counter[UUID]()
    while most[poison] <= GIVE_UP_AFTER:
        now += leases.LEASE + 1
        taken = take(f"worker at {now}", now)
        most |= dict(Job.objects.values_list("run_id", "attempts"))
        if poison not in taken:  # it lived to see the others get somewhere
            Job.objects.filter(run_id__in=taken).update(attempts=0)
    assert max(most[run] for run in innocent) <= GIVE_UP_AFTER / 2


@pytest.mark.parametrize("take", [looked_for, brought])
def test_each_death_lowers_the_suspects_of_a_worker(
    begin: Begin, take: Callable[[str, float], list[UUID]]
) -> None:
    for _ in range(10):
        begin(LOOP)
    now, taken = time.time(), []
    for _ in range(5):
        taken.append(take(f"worker at {now}", now))
        now += leases.LEASE + 1
    assert list(map(len, taken)) == [10, 10, 7, 3, 1]
    assert not {*taken[-1]} & {*taken[-2]}


@pytest.mark.parametrize("take", [looked_for, brought])
def test_progress_of_a_suspect_frees_room_for_the_next(
    begin: Begin, take: Callable[[str, float], list[UUID]]
) -> None:
    runs, now = {begin(LOOP).pk for _ in range(3)}, time.time()
    Job.objects.update(attempts=5)
    seen: set[UUID] = set()
    for _ in range(3):
        (run,) = take("one", now)
        assert take("one", now) == []
        Job.objects.filter(run_id=run).update(attempts=0)
        seen.add(run)
    assert seen == runs
    assert take("one", now) == []
