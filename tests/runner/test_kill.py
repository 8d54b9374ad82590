"""A worker that is killed with -9 twenty times loses nothing and does nothing twice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from tests.runner.conftest import Begin
from workflows.actions import run_log, runs
from workflows.core.engine.fold import fold_all
from workflows.models import Job, Run, RunEvent

ROOT = Path(__file__).resolve().parents[2]
KILLS = 20
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


@contextmanager
def worker() -> Iterator[subprocess.Popen[str]]:
    """A worker process on this test's database, which has said that it is ready."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.runner.killable"],
        cwd=ROOT,
        env={**os.environ, **same_database()},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def same_database() -> dict[str, str]:
    """What leads another process to this test's database."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return {"SIGNALBOX_DATA": str(Path(name).parent)}
    return {"SIGNALBOX_DATABASE": make_conninfo(os.environ["SIGNALBOX_DATABASE"], dbname=name)}


def to_the_end() -> None:
    with worker() as process:
        assert process.stdout is not None
        assert process.stdout.read().endswith("done\n")


def kill_after(commits: int) -> None:
    with worker() as process:
        assert process.stdout is not None
        for _ in range(commits):
            assert process.stdout.readline() == "committed\n"


def path(run: Run) -> list[str]:
    taken = RunEvent.objects.filter(run=run, type="transition.taken").order_by("n")
    return [event.fields["transition"] for event in taken]


@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is told by /proc")
def test_a_run_survives_twenty_kills_and_takes_the_same_path(begin: Begin) -> None:
    options = {"driver": "rehearsal", "seed": 5, "delay_ms": 10}
    unkilled = begin(TABLE, **options)
    to_the_end()
    killed = begin(TABLE, **options)
    for number in range(KILLS):
        kill_after(commits=number % 3)
    halfway = Run.objects.get(pk=killed.pk)
    to_the_end()

    assert halfway.finished_at is None
    assert Run.objects.get(pk=killed.pk).status == "completed"
    assert len(path(killed)) == 42
    assert path(killed) == path(unkilled)
    events = [run_log.event_of(row) for row in RunEvent.objects.filter(run=killed).order_by("n")]
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    assert fold_all(events) == runs.work_of(killed.pk).run
    for kind in ("model.asked", "model.replied", "tool.called", "tool.returned"):
        keys = Counter(event.fields["key"] for event in events if event.type == kind)
        assert set(keys.values()) == {1}, kind
    assert not Job.objects.exists()
