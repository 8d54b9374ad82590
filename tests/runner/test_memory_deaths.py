"""A run that takes its worker down by memory waits for a person after the first time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.runner.conftest import Begin, MakeWorker
from tests.support.workers import until_idle
from workflows.actions import runs
from workflows.core.engine.signals import Control
from workflows.models import Job, Run, RunEvent
from workflows.runner.queue import leases, memory_deaths
from workflows.runner.queue.memory_deaths import WorkRecord, died_of, kills_for_memory
from workflows.runner.queue.worker_identity import new_worker
from workflows.runner.worker import OUT_OF_MEMORY, Worker

LOOP = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Any:
    """A kernel whose number of processes killed for memory a test sets."""
    settings.DATA = tmp_path
    vmstat = tmp_path / "vmstat"
    monkeypatch.setattr(memory_deaths, "VMSTAT", vmstat)

    def kills(count: int) -> None:
        vmstat.write_text(f"nr_free_pages 5\noom_kill {count}\n")

    kills(3)
    return kills


CHILD = """
import os, sys, django
os.environ["DJANGO_SETTINGS_MODULE"] = "signalbox.settings"
django.setup()
from pathlib import Path
from workflows.runner.queue import memory_deaths
from workflows.runner.queue.worker_identity import new_worker
memory_deaths.VMSTAT = Path(sys.argv[1])
worker = new_worker()
with memory_deaths.WorkRecord(worker).at_work(sys.argv[2]):
    print(worker, flush=True)
    sys.stdin.read()
"""


def killed_worker(folder: Path, run: Run) -> str:
    """The name of a worker process that was killed with -9 while it computed this run."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder / "vmstat"), str(run.pk)],
        env={**os.environ, "SIGNALBOX_DATA": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    worker = child.stdout.readline().strip()
    child.send_signal(signal.SIGKILL)
    child.communicate()
    return worker


def take_over(run: Run, dead: str) -> Any:
    now = time.time()
    Job.objects.filter(run=run).update(worker=dead, leased_until=now + 10, attempts=1)
    (job,) = leases.claim(new_worker(), now=now, room=5, max_runs=5, exclude=()).jobs
    return job


def test_the_kernel_killed_the_worker_during_this_run(
    begin: Begin, kernel: Any, tmp_path: Path
) -> None:
    run, other = begin(LOOP), begin(LOOP)
    dead = killed_worker(tmp_path, run)
    kernel(4)
    assert died_of(dead, run.pk)
    assert not died_of(dead, other.pk)
    Job.objects.filter(run=other).delete()
    assert take_over(run, dead).died_of_memory


def test_a_worker_that_was_killed_otherwise_is_no_death_of_memory(
    begin: Begin, kernel: Any, tmp_path: Path
) -> None:
    run = begin(LOOP)
    dead = killed_worker(tmp_path, run)
    assert not take_over(run, dead).died_of_memory


def test_where_nothing_is_known_the_run_is_tried_again(
    begin: Begin, kernel: Any, tmp_path: Path
) -> None:
    run = begin(LOOP)
    dead = killed_worker(tmp_path, run)
    kernel(4)
    (tmp_path / "vmstat").write_text("nr_free_pages 5\n")
    assert kills_for_memory() is None
    assert not died_of(dead, run.pk)
    assert not died_of(f"other{dead}", run.pk)
    assert not died_of("interrupted", run.pk)


def test_a_run_that_is_not_being_computed_is_not_in_the_record(kernel: Any) -> None:
    worker = new_worker()
    record = WorkRecord(worker)
    kernel(4)
    with record.at_work("a" * 36), record.at_work("b" * 36):
        pass
    assert not died_of(worker, "a" * 36)  # type: ignore[arg-type]
    record.refresh()
    with record.at_work("a" * 36):
        assert not died_of(worker, "a" * 36)  # type: ignore[arg-type]
        kernel(5)
        assert died_of(worker, "a" * 36)  # type: ignore[arg-type]
    record.close()
    assert not died_of(worker, "a" * 36)  # type: ignore[arg-type]


async def test_such_a_run_waits_for_a_person(
    start: Any,
    make_worker: MakeWorker,
    kernel: Any,
    tmp_path: Path,
) -> None:
    run = await start(LOOP, driver="rehearsal")
    dead = killed_worker(tmp_path, run)
    kernel(4)
    job = Job.objects.filter(run=run)
    await job.aupdate(worker=dead, leased_until=time.time() + 10, attempts=1)
    first = await make_worker()
    await until_idle(first)
    await first.stop()
    assert not await Job.objects.filter(run=run).aexists()
    paused = await RunEvent.objects.aget(run=run, type="run.paused")
    assert paused.fields["reason"] == OUT_OF_MEMORY
    await _resumed(run)
    await until_idle(await make_worker())
    assert (await Run.objects.aget(pk=run.pk)).status == "completed"


async def test_a_step_without_memory_is_not_repeated(
    start: Any,
    make_worker: MakeWorker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries: list[int] = []

    def greedy(*_: Any, **__: Any) -> Any:
        tries.append(1)
        raise MemoryError

    monkeypatch.setattr(runs, "advance", greedy)
    run = await start(LOOP, driver="rehearsal")
    worker: Worker = await make_worker(poll_interval=0.01)
    await until_idle(worker)
    assert len(tries) == 1
    paused = await RunEvent.objects.aget(run=run, type="run.paused")
    assert paused.fields["reason"] == OUT_OF_MEMORY


async def _resumed(run: Run) -> None:
    await sync_to_async(runs.signal)(run.pk, Control(at=1.0, what="resume"))
