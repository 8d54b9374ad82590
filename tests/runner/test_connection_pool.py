"""Database connections are returned to the pool while runs wait."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from tests.runner.conftest import MakeWorker
from tests.runner.test_worker import LOOP, status
from tests.support.model_server import ModelServer, NoReply, TextReply
from tests.support.workers import until_idle
from workflows.actions import connections
from workflows.models import Connection

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

ON = TextReply(structured={"go": "on", "why": "it is time"})
HANG_UP = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.fixture
def server(transactional_db: None, settings: Any) -> Iterator[ModelServer]:
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]
    with ModelServer() as running:
        yield running
    connection.close()  # of the thread that empties the tables: it may have been broken off


@sync_to_async
def reach(server: ModelServer) -> Connection:
    address = server.url("compatible")
    return connections.create(name="Mine", kind="compatible", base_url=address, model="m")


@sync_to_async
def hang_up() -> None:
    """Make the database close every connection but this one."""
    with connection.cursor() as cursor:
        cursor.execute(HANG_UP)


@sync_to_async
def taken() -> int:
    """Connections that are held, this one among them."""
    with connection.cursor():
        stats = connection.pool.get_stats()
    return int(stats["pool_size"] - stats["pool_available"])


async def test_a_model_is_chosen_after_a_lost_database_connection(
    start: Any, make_worker: MakeWorker, server: ModelServer
) -> None:
    server.otherwise = ON
    await reach(server)
    before = await start(LOOP, driver="model")
    worker = await make_worker()
    await until_idle(worker)
    await hang_up()
    after = await start(LOOP, driver="model")
    await until_idle(worker)
    assert [await status(run) for run in (before, after)] == ["completed"] * 2
    assert len(server.asked) == 2


async def test_runs_that_wait_for_models_hold_no_connection(
    start: Any, make_worker: MakeWorker, server: ModelServer
) -> None:
    server.otherwise = NoReply()
    await reach(server)
    before = await taken()
    runs = [await start(LOOP, driver="model") for _ in range(12)]
    await make_worker()
    for _ in runs:
        await asyncio.to_thread(server.arrived.get, timeout=120)
    async with asyncio.timeout(120):
        while await taken() > before:
            pass
