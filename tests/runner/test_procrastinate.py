"""The Procrastinate queue on PostgreSQL."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from tests.runner.conftest import MakeWorker
from tests.runner.test_worker import LOOP, status
from tests.support.workers import until_idle
from workflows.actions import jobs
from workflows.actions.run_log import Log
from workflows.core.engine.effects import Effect
from workflows.core.engine.signals import Reply, Signal
from workflows.models import Job, Run
from workflows.runner.queue.leases import INTERRUPTED

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

LONG_AGO = "now() - interval '1 hour'"
NO_JOB = "SELECT 1 WHERE NOT EXISTS (SELECT FROM procrastinate_jobs)"
IN_HAND = "SELECT 1 FROM procrastinate_jobs WHERE status = 'doing' AND args ->> 'run' = %s"
HANG_UP = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%procrastinate_fetch_job%'
    AND pid <> pg_backend_pid()
"""
LEFT_BEHIND = f"""
    WITH dead AS (
        INSERT INTO procrastinate_workers (last_heartbeat) VALUES ({LONG_AGO}) RETURNING id
    )
    INSERT INTO procrastinate_jobs (queue_name, task_name, args, status, worker_id)
    SELECT '{jobs.QUEUE}', '{jobs.TASK}', jsonb_build_object('run', %s::text), 'doing', id
    FROM dead, generate_series(1, 20)
"""
"""Jobs of a killed worker."""


class Gate:
    """Answers no effect before it is opened. `asked`: number of requests by run."""

    def __init__(self) -> None:
        self.asked = Counter[UUID]()
        self.opened = asyncio.Event()

    async def __call__(self, log: Log, effect: Effect) -> Signal | None:
        self.asked[log.row.pk] += 1
        await self.opened.wait()
        return Reply(at=time.time(), key=effect.key, structured={"go": "on"})

    async def until_asked_by(self, *runs: Run) -> None:
        await until(lambda: all(self.asked[run.pk] for run in runs))


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(120):
        while not true():
            await asyncio.sleep(0)


async def until_found(query: str, *given: Any) -> None:
    async with asyncio.timeout(120):
        while not await sql(query, *given):
            pass


@sync_to_async
def sql(statement: str, *given: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, given or None)
        return cursor.fetchall() if cursor.description else []


async def test_a_stalled_worker_keeps_its_run(
    start: Any, make_worker: MakeWorker, caplog: pytest.LogCaptureFixture
) -> None:
    gate, run = Gate(), await start(LOOP, driver="rehearsal")
    two = [await make_worker(perform=gate, renew_interval=0.01) for _ in range(2)]
    await gate.until_asked_by(run)
    await until_found(NO_JOB)
    await sql(f"UPDATE procrastinate_workers SET last_heartbeat = {LONG_AGO}")
    await sql(LEFT_BEHIND, str(run.pk))
    await until_found(NO_JOB)
    gate.opened.set()
    for worker in two:
        await until_idle(worker)
        await worker.stop()
    gc.collect()  # exceptions of a task are reported when it is collected
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert (await status(run), gate.asked) == ("completed", {run.pk: 1})


async def test_a_worker_claims_runs_after_a_lost_connection(
    start: Any, make_worker: MakeWorker
) -> None:
    gate, first = Gate(), await start(LOOP, driver="rehearsal")
    worker = await make_worker(perform=gate, poll_interval=0.01)
    await gate.until_asked_by(first)
    ((before,),) = await sql("SELECT max(id) FROM procrastinate_workers")
    async with asyncio.timeout(120):
        while not await sql("SELECT 1 FROM procrastinate_workers WHERE id > %s", before):
            await sql(HANG_UP)  # again: it has several connections and continues with the others
    second = await start(LOOP, driver="rehearsal")
    await gate.until_asked_by(second)
    gate.opened.set()
    await until_idle(worker)
    assert gate.asked == {first.pk: 1, second.pk: 1}


async def test_a_waiting_run_goes_to_a_worker_with_room(
    start: Any, make_worker: MakeWorker
) -> None:
    gate, first = Gate(), await start(LOOP, driver="rehearsal")
    full = await make_worker(perform=gate, max_runs=1)
    await gate.until_asked_by(first)
    second = await start(LOOP, driver="rehearsal")
    await until_found(IN_HAND, str(second.pk))
    assert not gate.asked[second.pk]
    other = await make_worker(perform=gate)
    await gate.until_asked_by(second)
    gate.opened.set()
    for worker in (full, other):
        await until_idle(worker)
    assert gate.asked == {first.pk: 1, second.pk: 1}


async def test_a_stopping_worker_releases_waiting_runs(start: Any, make_worker: MakeWorker) -> None:
    gate, first = Gate(), await start(LOOP, driver="rehearsal")
    full = await make_worker(perform=gate, max_runs=1)
    await gate.until_asked_by(first)
    second = await start(LOOP, driver="rehearsal")
    await until_found(IN_HAND, str(second.pk))
    await full.stop()
    released = await sql("SELECT run_id, worker, attempts FROM workflows_job")
    assert set(released) == {(first.pk, INTERRUPTED, 0), (second.pk, "", 0)}
    brought = await sql("SELECT status, args ->> 'run' FROM procrastinate_jobs")
    assert set(brought) == {("todo", str(run.pk)) for run in (first, second)}
    assert gate.asked == {first.pk: 1}


async def test_a_run_claimed_while_stopping_stays_interrupted(
    start: Any, make_worker: MakeWorker
) -> None:
    run = await start(LOOP, driver="rehearsal")
    worker = await make_worker(max_runs=0)
    await sql("UPDATE workflows_job SET worker = %s", INTERRUPTED)
    claim = asyncio.create_task(worker.queue._claim_run(str(run.pk)))
    worker.queue._stopping = True
    worker.queue._room.release()
    await claim
    # The worker's own delivery of the run may claim and release it too.
    released = "SELECT 1 FROM workflows_job WHERE run_id = %s AND worker = %s AND attempts = 0"
    await until_found(released, run.pk, INTERRUPTED)


async def test_a_held_run_is_not_started_again_after_its_lease_expires(
    start: Any, make_worker: MakeWorker
) -> None:
    gate, run = Gate(), await start(LOOP, driver="rehearsal")
    worker = await make_worker(perform=gate, renew_interval=60.0)
    await gate.until_asked_by(run)
    await Job.objects.aupdate(leased_until=0.0)
    await sync_to_async(jobs.announce)(run.pk)
    await until_found(NO_JOB)
    gate.opened.set()
    await until_idle(worker)
    assert (await status(run), gate.asked) == ("completed", {run.pk: 1})
