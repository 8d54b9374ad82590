"""Steps of several runs that share a commit."""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection

from tests.runner.conftest import Begin
from tests.runner.test_inline import RELAY, events, reply
from workflows.actions import run_log, runs
from workflows.actions.run_log import Log
from workflows.actions.run_steps import step
from workflows.core.engine.fold import fold_all
from workflows.core.engine.signals import Control, Reply
from workflows.errors import NotThere
from workflows.models import Run
from workflows.runner import shared_commits
from workflows.runner.database_threads import DatabaseThreads
from workflows.runner.queue import leases
from workflows.runner.shared_commits import Delivery, SharedCommits, stored


def unmarked(_: UUID) -> Any:
    return nullcontext()


def deliveries(begin: Begin, count: int) -> list[Delivery]:
    """The next answer of this many runs, each in the hands of a worker and past its first step."""
    found = [begin(RELAY) for _ in range(count)]
    leases.claim("one", now=time.time(), room=count, max_runs=100, exclude=())
    loop = asyncio.new_event_loop()
    loop.close()  # The futures of these deliveries are never used.
    logs = [runs.work_of(run.pk) for run in found]
    logs = [step(log, reply(log, "on")) for log in logs]
    return [
        Delivery(
            run_id=log.row.pk, log=log, answers=[reply(log, "on")], stored=loop.create_future()
        )
        for log in logs
    ]


def transitions(result: Log | Exception) -> int:
    assert isinstance(result, Log), result
    assert result.run == fold_all(events(result.row)) == runs.work_of(result.row.pk).run
    return result.run.transitions


@pytest.mark.sqlite
def test_the_steps_of_ten_runs_are_one_transaction(begin: Begin) -> None:
    waiting = deliveries(begin, 10)
    said: list[str] = []
    connection.connection.set_trace_callback(said.append)
    results = stored(waiting, unmarked)
    connection.connection.set_trace_callback(None)
    assert [transitions(result) for result in results] == [2] * 10
    assert [said[0], said[-1], said.count("COMMIT")] == ["BEGIN IMMEDIATE", "COMMIT", 1]


@pytest.mark.postgresql
def test_the_steps_of_ten_runs_are_one_round_trip(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    from psycopg import Connection

    waiting, trips, wait = deliveries(begin, 10), [], Connection.wait
    with monkeypatch.context() as patch:
        patch.setattr(
            Connection, "wait", lambda *asked, **more: (trips.append(1), wait(*asked, **more))[1]
        )
        results = stored(waiting, unmarked)
    assert len(trips) == 1
    assert [transitions(result) for result in results] == [2] * 10


def test_a_stale_log_and_a_deleted_run_do_not_stop_the_others(begin: Begin) -> None:
    stale, deleted, *others = waiting = deliveries(begin, 4)
    runs.signal(stale.run_id, Control(at=time.time(), what="pause"))
    Run.objects.get(pk=deleted.run_id).delete()
    results = stored(waiting, unmarked)
    assert isinstance(results[1], NotThere)
    assert [transitions(result) for result in (results[0], *results[2:])] == [2, 2, 2]
    assert runs.work_of(stale.run_id).run.status == "paused"
    assert len(others) == 2


def test_a_repeated_answer_changes_nothing(begin: Begin) -> None:
    waiting = deliveries(begin, 2)
    first = stored(waiting, unmarked)
    again = stored(waiting, unmarked)
    assert list(map(transitions, first)) == list(map(transitions, again)) == [2, 2]


def test_a_bug_in_one_program_does_not_stop_the_others(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workflows.actions import run_steps

    waiting, advance = deliveries(begin, 3), run_steps.advance

    def broken(program: Any, run: Any, signal: Reply, **more: Any) -> Any:
        if signal.at == 7.0:
            raise ValueError("a bug")
        return advance(program, run, signal, **more)

    object.__setattr__(waiting[1].answers[0], "at", 7.0)
    monkeypatch.setattr(run_steps, "advance", broken)
    first, second, third = stored(waiting, unmarked)
    assert isinstance(second, runs.ProgramBroke)
    assert [transitions(first), transitions(third)] == [2, 2]


def test_an_unavailable_database_is_reported_to_all(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(_: object) -> None:
        raise OperationalError("gone")

    waiting = deliveries(begin, 2)
    monkeypatch.setattr(run_log, "keep", unavailable)
    with pytest.raises(OperationalError):
        stored(waiting, unmarked)


@pytest.mark.django_db(transaction=True)
async def test_answers_that_come_during_a_commit_share_the_next_one(
    transactional_db: None, begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = await sync_to_async(deliveries)(begin, 6)
    sizes: list[int] = []

    def counting(together: Any, at_work: Any) -> Any:
        sizes.append(len(together))
        time.sleep(0.02)
        return stored(together, at_work)

    monkeypatch.setattr(shared_commits, "stored", counting)
    monkeypatch.setattr(shared_commits, "PATIENCE", 60.0)
    threads = DatabaseThreads(size=1, name="test")
    commits = SharedCommits(threads=threads, at_work=unmarked)
    first = asyncio.create_task(deliver(commits, waiting[0]))
    await asyncio.sleep(0.005)
    rest = [asyncio.create_task(deliver(commits, one)) for one in waiting[1:]]
    logs = await asyncio.gather(first, *rest)
    await commits.close()
    await threads.close()
    assert sizes == [1, 5]
    assert [log.run.transitions for log in logs] == [2] * 6


async def deliver(commits: SharedCommits, delivery: Delivery) -> Log:
    return await commits.deliver(delivery.run_id, delivery.log, delivery.answers)


async def test_a_run_that_computes_for_long_delays_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def slow(together: Any, at_work: Any) -> Any:
        if together[0].run_id.int == 1:
            time.sleep(0.5)
        return [together[0].run_id] * len(together)

    monkeypatch.setattr(shared_commits, "stored", slow)
    monkeypatch.setattr(shared_commits, "PATIENCE", 0.01)
    threads = DatabaseThreads(size=1, name="test")
    commits = SharedCommits(threads=threads, at_work=unmarked)
    long = asyncio.create_task(commits.deliver(UUID(int=1), None, ()))
    await asyncio.sleep(0.001)
    await commits.deliver(UUID(int=2), None, ())
    assert not long.done()
    await long
    await commits.close()
    await threads.close()
