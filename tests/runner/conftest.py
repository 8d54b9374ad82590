"""Runs of a tiny dialect, in a database that threads share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.support.model_server import ModelServer
from tests.support.people import operator
from tests.support.tiny_dialect import register, tiny_pack
from workflows.actions import runs
from workflows.core.dialects import dialects
from workflows.models import Run
from workflows.runner.worker import Worker
from workflows.runner.worker import worker as running_worker

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
        owner = operator() if options.get("commands") else None
        return runs.start(tiny_pack(table), driver=driver, options=options, owner=owner)

    return start


@pytest.fixture
def start(begin: Begin) -> Callable[..., Any]:
    """The same, to be awaited."""
    return sync_to_async(begin)


@pytest.fixture
async def make_worker() -> AsyncIterator[MakeWorker]:
    """Start a worker, which the test need not stop."""
    workers: list[Worker] = []

    async def make(**options: Any) -> Worker:
        worker = Worker(**options)
        workers.append(worker)
        await worker.start()
        return worker

    yield make
    for worker in workers:
        await worker.stop()


@pytest.fixture
async def worker(transactional_db: None) -> AsyncIterator[Worker]:
    """A worker with the default options."""
    async with running_worker() as worker:
        yield worker


async def worked_off() -> None:
    """Do all runs that wait, with a worker of its own."""
    async with asyncio.timeout(120), running_worker() as worker:
        await worker.run_until_idle()


@pytest.fixture
def own_folder(settings: Any, tmp_path: Path) -> None:
    """Data of the server in a folder of the test."""
    settings.DATA = tmp_path


@pytest.fixture
def commands(settings: Any) -> None:
    """A server that may run commands."""
    settings.SIGNALBOX_COMMANDS = True


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model server on this computer."""
    with ModelServer() as server:
        yield server
