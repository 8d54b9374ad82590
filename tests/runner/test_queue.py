"""Leases: one worker per run, and a dead worker's runs go on at once."""

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
    """What a worker of the embedded queue takes."""
    return claim(worker, now, room=MAX_RUNS)


def brought(worker: str, now: float) -> list[UUID]:
    """What a worker takes of all that Procrastinate brings."""
    return [
        run
        for run in leases.free_runs(now=now)
        if leases.claim_run(worker, run, now=now, max_runs=MAX_RUNS)
    ]


def test_what_a_worker_holds_it_does_not_take_again_however_late_it_renews(begin: Begin) -> None:
    for _ in range(3):
        begin(LOOP)
    now = time.time()
    held = claim("one", now, room=2)
    late = now + leases.LEASE + 1
    found = leases.claim("one", now=late, room=1, max_runs=MAX_RUNS, exclude=held)
    (other,) = [job.run_id for job in found.jobs]
    assert other not in held
    assert not leases.claim("one", now=late, room=9, max_runs=MAX_RUNS, exclude=[*held, other]).jobs


def test_a_job_goes_to_one_worker_only(begin: Begin) -> None:
    runs = {begin(LOOP).pk for _ in range(20)}

    def worker(number: int) -> list[Run]:
        try:
            return claim(f"worker {number}", time.time(), room=20)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        taken = [run for claimed in pool.map(worker, range(4)) for run in claimed]
    assert sorted(taken) == sorted(runs)


def test_a_lease_that_ran_out_is_anybodys(begin: Begin) -> None:
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


def test_a_dead_workers_lease_is_free_at_once(begin: Begin) -> None:
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
        assert claim("two", now) == []
        process.kill()
    assert is_dead(other)
    assert claim("two", now) == [run.pk]


@pytest.mark.parametrize("worker", ["", "someone", "a/b/c/d/e", "//1//1", "x/y/1/2/3"])
def test_a_worker_that_nobody_here_can_know_is_not_called_dead(worker: str) -> None:
    assert not is_dead(worker)


def test_a_number_that_another_process_got_later_does_not_count_as_alive() -> None:
    place, namespace, pid, started, serial = new_worker().split("/")
    assert int(pid) == os.getpid()
    assert is_dead("/".join((place, namespace, pid, str(int(started) - 1), serial)))


def test_a_job_is_not_taken_before_it_is_due(begin: Begin) -> None:
    run = begin(LOOP)
    Job.objects.filter(run=run).update(due_at=2_000.0)
    found = leases.claim("one", now=1_000.0, room=10, max_runs=MAX_RUNS, exclude=())
    assert (found.jobs, found.next_due) == ((), 2_000.0)
    assert claim("one", 2_000.0) == [run.pk]


def test_what_is_given_back_is_free_and_counts_only_real_attempts(begin: Begin) -> None:
    run = begin(LOOP)
    for blameless, attempts in ((True, 0), (False, 1), (False, 2), (True, 2)):
        claim("one", time.time())
        assert leases.release("one", run.pk, blameless=blameless)
        assert Job.objects.get(run=run).attempts == attempts
    assert not leases.release("two", run.pk)


@pytest.mark.parametrize("take", [looked_for, brought])
def test_what_takes_workers_down_takes_no_other_run_with_it(
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
def test_suspects_are_taken_up_fewer_at_a_time_with_every_death(
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
def test_the_next_suspect_is_taken_when_one_got_somewhere(
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
