"""Runs of a tiny dialect, in a database that threads share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.support.tiny_dialect import register, tiny_pack
from workflows.actions import runs
from workflows.core.dialects import dialects
from workflows.models import Run
from workflows.runner.worker import Worker

Begin = Callable[..., Run]
MakeWorker = Callable[..., Any]


@pytest.fixture(autouse=True)
def _tiny_dialect() -> Iterator[None]:
    register()
    yield
    dialects().pop("tiny", None)


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
