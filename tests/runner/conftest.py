"""Runs of a tiny dialect, in a database that threads share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.support.tiny_dialect import register, tiny_pack
from workflows.actions import jobs, runs
from workflows.core.dialects import dialects
from workflows.models import Run
from workflows.runner.worker import Worker
from workflows.selectors.sources import SHELF

Begin = Callable[..., Run]
MakeWorker = Callable[..., Any]

ON_POSTGRESQL = ["test_procrastinate.py", "test_connection_pool.py"]
"""About Procrastinate and the pool, which are there with `-p tests.support.postgresql_plugin`."""
ON_SQLITE = ["test_statement_counts.py", "test_no_process.py"]
"""About what SQLite alone tells, and what has nothing to do with the queue and takes long."""
collect_ignore = ON_SQLITE if jobs.queue_is_told() else ON_POSTGRESQL


@pytest.fixture(autouse=True)
def _tiny_dialect() -> Iterator[None]:
    register()
    SHELF.clear()
    yield
    dialects().pop("tiny", None)
    SHELF.clear()


@pytest.fixture
def begin(transactional_db: None) -> Begin:
    """Start a run of a table of states."""

    def start(table: Mapping[str, Any], driver: str = "manual", **options: Any) -> Run:
        return runs.start(tiny_pack(table), driver=driver, options=options)

    return start


@pytest.fixture
def start(begin: Begin) -> Callable[..., Any]:
    """The same, to be awaited."""
    return sync_to_async(begin)


@pytest.fixture
async def make_worker() -> AsyncIterator[MakeWorker]:
    """Start a worker, which the test need not stop."""
    made: list[Worker] = []

    async def make(**given: Any) -> Worker:
        worker = Worker(**given)
        made.append(worker)
        await worker.start()
        return worker

    yield make
    for worker in made:
        await worker.stop()
