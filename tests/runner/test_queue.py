"""Leases: one worker per run, and a dead worker's runs go on at once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from tests.runner.conftest import Begin
from workflows.models import Job, Run
from workflows.runner.queue import leases
from workflows.runner.queue.identity import is_dead, new_worker

LOOP = {"start": {"model": {"stay": "start", "on": "done"}}, "done": {"end": "completed"}}


def claim(worker: str, now: float, room: int = 10) -> list[Run]:
    found = leases.claim(worker, now=now, room=room, but=())
    return [job.run_id for job in found.jobs]


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
        "from workflows.runner.queue.identity import new_worker; "
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
    found = leases.claim("one", now=1_000.0, room=10, but=())
    assert (found.jobs, found.next_due) == ((), 2_000.0)
    assert claim("one", 2_000.0) == [run.pk]


def test_what_is_given_back_is_free_and_counts_only_real_attempts(begin: Begin) -> None:
    run = begin(LOOP)
    for untouched, attempts in ((True, 0), (False, 1), (False, 2), (True, 2)):
        claim("one", time.time())
        assert leases.release("one", run.pk, untouched=untouched)
        assert Job.objects.get(run=run).attempts == attempts
    assert not leases.release("two", run.pk)
