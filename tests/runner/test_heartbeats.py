"""A worker has a heartbeat while it runs, and none after it has stopped."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.sync import sync_to_async

from workflows.installation import version
from workflows.runner.worker import worker
from workflows.selectors.status import live_workers


@pytest.mark.django_db(transaction=True)
async def test_a_worker_is_alive_until_it_stops() -> None:
    alive = sync_to_async(lambda: list(live_workers()))
    assert await alive() == []
    async with worker() as running:
        while not (rows := await alive()):
            await asyncio.sleep(0)
        assert [(row.version, row.runs) for row in rows] == [(version(), 0)]
        assert rows[0].worker.count("/") == 4
        assert running is not None
    assert await alive() == []
