"""A worker that is killed with -9 again and again loses nothing and repeats nothing; and a run that
kills its workers is set aside while other runs continue."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from tests.runner.conftest import Begin
from tests.support.checks import quick_or_slow
from workflows.actions import runs
from workflows.core.engine.fold import fold_all
from workflows.models import Job, Run, RunEvent
from workflows.runner.queue.lease_holder import GIVE_UP_AFTER
from workflows.selectors.runs import event_of

ROOT = Path(__file__).resolve().parents[2]
TABLE: dict[str, dict[str, Any]] = {
    "start": {"tool": "s1"},
    **{
        f"s{n}": {"tool": f"s{n + 1}"}
        if n % 2
        else {"model": dict.fromkeys(("left", "middle", "right"), f"s{n + 1}")}
        for n in range(1, 42)
    },
    "s42": {"end": "completed"},
}
"""Forty-two transitions; at every other state the seed decides which way."""


class Workers:
    """Worker processes on one database, one after the other."""

    said = ""
    """The newest line."""

    def __init__(self, database: dict[str, str]) -> None:
        self._maker = subprocess.Popen(
            [sys.executable, "-m", "tests.runner.worker_process"],
            cwd=ROOT,
            env={**os.environ, **database},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self) -> int:
        """The number of a new process."""
        assert self._maker.stdin is not None
        self._maker.stdin.write("\n")
        self._maker.stdin.flush()
        return int(self.line())

    def line(self) -> str:
        assert self._maker.stdout is not None
        self.said = self._maker.stdout.readline()
        return self.said

    def end(self) -> None:
        self._maker.kill()
        self._maker.communicate()


@cache
def workers_on(**database: str) -> Workers:
    workers = Workers(database)
    atexit.register(workers.end)
    return workers


@contextmanager
def worker() -> Iterator[Workers]:
    """A worker process on this test's database that has reported ready."""
    workers = workers_on(**same_database())
    process = workers.begin()
    try:
        assert workers.line() == "ready\n"
        yield workers
    finally:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        while workers.said not in ("ended\n", ""):
            workers.line()


def same_database() -> dict[str, str]:
    """Settings that connect another process to this test's database."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return {"SIGNALBOX_DATA": str(Path(name).parent)}
    return {"SIGNALBOX_DATABASE": make_conninfo(os.environ["SIGNALBOX_DATABASE"], dbname=name)}


def to_the_end() -> None:
    assert lives_to_the_end()


def lives_to_the_end() -> bool:
    """Return True if a worker executes all runs until none can continue."""
    with worker() as workers:
        while workers.line() == "committed\n":
            pass
        assert workers.said in ("done\n", "ended\n")
        return workers.said == "done\n"


def kill_after(commits: int) -> None:
    with worker() as workers:
        for _ in range(commits):
            assert workers.line() == "committed\n"


def path(run: Run) -> list[str]:
    taken = RunEvent.objects.filter(run=run, type="transition.taken").order_by("n")
    return [event.fields["transition"] for event in taken]


@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc")
@pytest.mark.parametrize("kills", quick_or_slow(3, 20))
def test_a_run_takes_the_same_path_despite_kills(begin: Begin, kills: int) -> None:
    options = {"driver": "rehearsal", "seed": 5, "delay_ms": 10}
    unkilled = begin(TABLE, **options)
    to_the_end()
    killed = begin(TABLE, **options)
    for number in range(kills):
        kill_after(commits=number % 3)
    halfway = Run.objects.get(pk=killed.pk)
    to_the_end()

    assert halfway.finished_at is None
    assert Run.objects.get(pk=killed.pk).status == "completed"
    assert len(path(killed)) == 42
    assert path(killed) == path(unkilled)
    events = [event_of(row) for row in RunEvent.objects.filter(run=killed).order_by("n")]
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    assert fold_all(events) == runs.work_of(killed.pk).run
    for kind in ("model.asked", "model.replied", "tool.called", "tool.returned"):
        keys = Counter(event.fields["key"] for event in events if event.type == kind)
        assert set(keys.values()) == {1}, kind
    assert not Job.objects.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc")
def test_only_the_run_that_kills_its_workers_is_given_up(begin: Begin) -> None:
    table = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}
    poison = begin(table, driver="poison")
    others = [begin(table, driver="rehearsal", delay_ms=10).pk for _ in range(4)]
    Job.objects.update(attempts=GIVE_UP_AFTER - 3)
    deaths = 0
    while not lives_to_the_end():
        deaths += 1
    assert deaths == 3
    assert [Run.objects.get(pk=run).status for run in others] == ["completed"] * 4
    assert Run.objects.get(pk=poison.pk).status == "paused"
