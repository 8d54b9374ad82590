"""The poll for changes of runs whose notification was lost."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.runner.conftest import MakeWorker
from workflows.actions import runs
from workflows.actions.run_log import Log
from workflows.core.engine.effects import Effect
from workflows.core.engine.signals import Signal

pytestmark = pytest.mark.django_db(transaction=True)
LOOP = {"start": {"model": {"stay": "start", "on": "done"}}, "done": {"end": "completed"}}


async def test_a_poll_does_not_make_an_unread_run_read_twice(
    start: Any, make_worker: MakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_of, newest, reads = runs.work_of, runs.newest, list[str]()
    polls, is_polled, performing = [0], threading.Event(), asyncio.Event()

    def slow(run_id: Any, held: Log | None = None) -> Log:
        reads.append(str(run_id))
        if str(run_id) == str(later.pk):
            polls[0] = 0
            assert is_polled.wait(120)
        return work_of(run_id, held)

    def counted(held: Any) -> dict[str, int]:
        polls[0] += 1
        if polls[0] == 2:
            is_polled.set()
        return newest(held)

    async def perform(log: Log, effect: Effect) -> Signal | None:
        if log.row.pk == later.pk:
            performing.set()
        await asyncio.Event().wait()
        return None

    monkeypatch.setattr(runs, "work_of", slow)
    monkeypatch.setattr(runs, "newest", counted)
    first, later = await start(LOOP), await start(LOOP)
    await make_worker(perform=perform, poll_interval=0.01)
    async with asyncio.timeout(120):
        await performing.wait()
        seen = polls[0]
        while polls[0] < seen + 2:
            await asyncio.sleep(0)
    assert sorted(reads) == sorted([str(first.pk), str(later.pk)])
