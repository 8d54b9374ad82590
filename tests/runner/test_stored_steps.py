"""The fast ways to store steps agree with the plain ones, row by row: `run_log.kept` with
`run_log.go_on`, and one commit for answers that are ready together with a commit for each."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction

from tests.runner.conftest import Begin
from tests.runner.test_inline import events, held
from workflows.actions import packs, run_log, runs
from workflows.actions.run_log import Log
from workflows.actions.run_programs import program_of
from workflows.actions.run_steps import Steps, step
from workflows.core.dialects import dialects
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.signals import Approve, CommandDone, Reply, Signal
from workflows.core.prompts.modes import PLANNING
from workflows.models import Approval, Artifact, Job, Run
from workflows.runner import inline
from workflows.runner.inline import advance, deliver_signals

STEPS = 40
SAMPLES = [f"{name}/{key}" for name in sorted(dialects()) for key in dialects()[name].samples()]
ROW = ("status", "reason", "last", "answer", "finished_at", *run_log.TOTALS)
Answer = Callable[[Log, int], Signal | None]

FORK = {
    "start": {"fork": (["a", "b", "c", "d", "e"], "after")},
    **{name: {"model": {"on": "end of " + name}} for name in "abcde"},
    **{"end of " + name: {"join": None} for name in "abcde"},
    "after": {"model": {"on": "done"}},
    "done": {"end": "completed"},
}
PEOPLE = {
    "start": {"model": {"on": "ask", "again": "start"}},
    "ask": {"human": {"yes": "try"}},
    "try": {"command": ("start", "done")},
    "done": {"end": "completed"},
}
ON = {"structured": {"go": "on"}}


@pytest.fixture
def begun(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Start runs at one time and with one id, so that their rows can be compared. A run has to be
    deleted before the next one starts."""
    monkeypatch.setattr(runs, "time", StillClock())
    id = uuid4()
    monkeypatch.setattr(Run._meta.get_field("id"), "_get_default", lambda: id)
    return begin


class StillClock:
    """A clock that always has the same time."""

    def time(self) -> float:
        return 50.0


def stored(run: Run) -> dict[str, Any]:
    """The rows that a step may change, without ids."""
    row = Run.objects.get(pk=run.pk)
    log = [{"n": event.n, **event.to_json()} for event in events(run)]
    approvals = Approval.objects.filter(run=run).order_by("key")
    artifacts = Artifact.objects.filter(run=run).order_by("name")
    job = Job.objects.filter(run=run).first()
    fold = run_log.FOLDS.get(run.pk, row.last)
    assert fold_all(events(run)) == fold
    return {
        "log": json.loads(json.dumps(log)),
        "row": [getattr(row, name) for name in ROW],
        "job": job and (bool(job.worker), job.attempts),
        "approvals": list(approvals.values_list("key", "kind", "status", "asks", "answer")),
        "artifacts": list(artifacts.values_list("name", "type", "value", "n")),
    }


def in_progress(run: Run) -> Run:
    """The run in the hands of a worker that has answered an effect already."""
    Job.objects.filter(run=held(run)).update(attempts=0)
    return run


def delete(run: Run) -> None:
    run.delete()
    run_log.FOLDS._kept.clear()


def walked(run: Run, answer: Answer) -> list[dict[str, Any]]:
    """The rows after each step of a run that a worker holds."""
    in_progress(run)
    log, rows = runs.work_of(run.pk), [stored(run)]
    for number in range(STEPS):
        signal = answer(log, number)
        if signal is None:
            break
        log = step(log, replace(signal, at=100.0 + number))
        rows.append(stored(run))
        assert log.run == fold_all(events(run))
    return rows


def simulated(log: Log, number: int) -> Signal | None:
    pending = pending_effects(log.run)
    return inline._simulated(log, pending[0]) if pending else None


def by_turns(log: Log, number: int) -> Signal | None:
    """A person, a model and a command answer, now well and now badly."""
    if not (pending := pending_effects(log.run)):
        return None
    key = pending[0].key
    match type(pending[0]).__name__:
        case "AskModel":
            reply = {"structured": {"go": "again" if number % 4 == 1 else "on"}}
            return Reply(at=0.0, key=key, **reply)  # type: ignore[arg-type]
        case "AskHuman":
            return Approve(at=0.0, key=key, event="yes")
        case _:
            return CommandDone(at=0.0, key=key, exit=1 if number > 20 else 0)


def assert_same_rows(
    make: Callable[[], Run], answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> int:
    """Compare a run with `kept` and one without. Returns the number of steps that it stored."""
    kept, count = run_log.kept, 0

    def counting(*args: Any, **more: Any) -> Log | None:
        nonlocal count
        after = kept(*args, **more)
        count += after is not None
        return after

    with monkeypatch.context() as patch:
        patch.setattr(run_log, "kept", counting)
        fast = walked(run := make(), answer)
    delete(run)
    with monkeypatch.context() as patch:
        patch.setattr(run_log, "kept", lambda *_, **__: None)
        plain = walked(make(), answer)
    assert len(fast) > 1
    assert fast == plain
    return count


@pytest.mark.parametrize("sample", SAMPLES)
def test_kept_steps_of_every_sample_have_the_same_rows(
    sample: str, begun: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = packs.create_from_sample(sample, owner=None)
    row = Run(pack=pack, revision=pack.head, profile=pack.profile)
    options = {"seed": 3, "inputs": simulated_inputs(program_of(row))}

    def make() -> Run:
        return runs.start(pack, driver="rehearsal", options=options)

    assert_same_rows(make, simulated, monkeypatch)


@pytest.mark.parametrize("table", [PEOPLE, FORK], ids=["people", "a fork"])
def test_kept_steps_have_the_same_rows(
    table: Mapping[str, Any], begun: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert assert_same_rows(lambda: begun(table), by_turns, monkeypatch) >= 4


def test_runs_in_the_same_context_share_a_program(begin: Begin) -> None:
    pack = packs.create_from_sample("promptpack/code-review", owner=None)

    def program(**options: Any) -> Any:
        return program_of(Run(pack=pack, revision=1, profile=pack.profile, options=options))

    assert program() is program(mode="", templates={}) is program(mode=None)
    assert program(session_tools={}) is program(session_tools={}) is not program()
    tools = {"look": {"description": "Look.", "parameters": {"type": "object"}}}
    assert program(session_tools=tools) is program(session_tools=tools)
    assert program(session_tools=tools) is not program(session_tools={})
    assert program(mode=PLANNING) is program(mode=PLANNING)


def test_nothing_is_kept_without_a_worker_or_after_another_writer(begin: Begin) -> None:
    run = begin(PEOPLE)
    log, new, after = _next_step(run)
    before = stored(run)
    assert run_log.kept(log, new, run=after) is None  # No worker holds the run.
    in_progress(run)
    log.row.last -= 1
    assert run_log.kept(log, new, run=after) is None  # The row is further.
    log.row.last += 1
    assert stored(run)["log"] == before["log"]
    assert run_log.kept(log, new, run=after) is not None


@pytest.mark.postgresql
def test_a_step_takes_one_round_trip_to_postgresql(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    from psycopg import Connection

    log, new, after = _next_step(in_progress(begin(PEOPLE)))
    trips = []
    wait = Connection.wait
    monkeypatch.setattr(
        Connection, "wait", lambda *asked, **more: (trips.append(1), wait(*asked, **more))[1]
    )
    assert run_log.kept(log, new, run=after) is not None
    assert len(trips) == 1


@pytest.mark.postgresql
@pytest.mark.parametrize("change", ["the job is deleted", "an event is added"])
def test_a_step_waits_for_the_locks_of_another_writer(begin: Begin, change: str) -> None:
    run = in_progress(begin(PEOPLE))
    log, new, after = _next_step(run)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            run_log.row_of(run.pk, lock=True)
            keeping = pool.submit(_kept_and_closed, log, new, after)
            _wait_for_lock()
            if change == "the job is deleted":
                Job.objects.filter(run=run).delete()
            else:
                Run.objects.filter(pk=run.pk).update(last=log.row.last + 1)
        assert keeping.result(timeout=120) is None
    assert len(events(run)) == log.row.last


def _next_step(run: Run) -> tuple[Log, tuple[Any, ...], Any]:
    log = runs.work_of(run.pk)
    (effect,) = pending_effects(log.run)
    steps = Steps(log)
    steps.take(Reply(at=9.0, key=effect.key, structured={"go": "again"}))
    return log, tuple(steps._events), steps.log.run


def _kept_and_closed(log: Log, new: tuple[Any, ...], after: Any) -> Log | None:
    try:
        return run_log.kept(log, new, run=after)
    finally:
        connection.close()


def _wait_for_lock() -> None:
    """Wait until another connection waits for a lock."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                " AND datname = current_database()"
            )
            if cursor.fetchone():
                return
        time.sleep(0.01)
    raise AssertionError("No connection waited for a lock.")


@pytest.mark.sqlite
def test_answers_that_are_ready_together_share_a_commit(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inline, "TIME_SLICE", 60.0)
    monkeypatch.setattr(inline, "COMMIT_INTERVAL", 60.0)
    run = held(begin(FORK, driver="script", script={"replies": [ON], "repeat_last": True}))
    statements: list[str] = []
    log = runs.work_of(run.pk)
    connection.ensure_connection()
    connection.connection.set_trace_callback(statements.append)
    log, more = advance(run.pk, log)
    connection.connection.set_trace_callback(None)
    assert (log.run.status, log.run.model_calls, more) == ("completed", 6, False)
    assert statements.count("COMMIT") == 1
    assert fold_all(events(run)) == log.run


def test_a_fork_has_the_same_log_with_a_commit_for_each_answer(
    begun: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inline, "TIME_SLICE", 60.0)
    monkeypatch.setattr(inline, "COMMIT_INTERVAL", 60.0)
    monkeypatch.setattr(inline, "time", _clock_of_inline())
    logs = []
    for together in (True, False):
        if not together:
            monkeypatch.setattr(inline, "_answered", _answered_one_by_one)
        run = held(begun(FORK, driver="script", script={"replies": [ON], "repeat_last": True}))
        advance(run.pk)
        logs.append(stored(run))
        delete(run)
    assert logs[0] == logs[1]


@pytest.mark.parametrize("interval", [60.0, -1.0], ids=["one commit", "a commit for each answer"])
def test_each_question_to_a_person_is_stored(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, interval: float
) -> None:
    monkeypatch.setattr(inline, "TIME_SLICE", 60.0)
    monkeypatch.setattr(inline, "COMMIT_INTERVAL", interval)
    script = {"replies": [ON], "answers": [{"event": "yes"}], "commands": [{"exit": 1}]}
    run = held(begin(PEOPLE, driver="script", script=script))
    log, _ = advance(run.pk)
    assert log.run.status == "completed"
    asked = Approval.objects.filter(run=run, kind=Approval.Kind.EVENT)
    assert [approval.answered_at is not None for approval in asked] == [True]


def _clock_of_inline() -> Any:
    class Still(StillClock):
        monotonic = staticmethod(time.monotonic)

    return Still()


def _answered_one_by_one(log: Log) -> Log:
    answer = inline._answer(log)
    return log if answer is None else step(log, answer)


def test_answers_of_a_fork_are_delivered_together_or_one_by_one(begun: Begin) -> None:
    together = held(begun(FORK))
    log = runs.work_of(together.pk)
    answers = [
        Reply(at=100.0, key=effect.key, structured={"go": "on"})
        for effect in pending_effects(log.run)
    ]
    assert len(answers) == 5
    repeated = [*answers, answers[2]]
    deliver_signals(together.pk, log, repeated)
    again = runs.work_of(together.pk)
    assert deliver_signals(together.pk, again, answers) is again
    rows = stored(together)
    delete(together)
    alone = held(begun(FORK))
    for answer in repeated:
        runs.deliver(alone.pk, answer)
    assert stored(alone) == rows


def test_the_answers_before_a_bug_are_stored(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    run = held(begin(FORK))
    log = runs.work_of(run.pk)
    first, second, *_ = pending_effects(log.run)
    program = type(program_of(log.row))
    plain = program.answer

    def broken(self: Any, run: Any, position: Any, effect: Any, signal: Any) -> Any:
        if effect.key == second.key:
            raise ZeroDivisionError("A bug.")
        return plain(self, run, position, effect, signal)

    monkeypatch.setattr(program, "answer", broken)
    answers = [
        Reply(at=100.0, key=effect.key, structured={"go": "on"}) for effect in (first, second)
    ]
    with pytest.raises(runs.ProgramBroke, match="A bug"):
        deliver_signals(run.pk, log, answers)
    now = runs.work_of(run.pk).run
    assert first.key not in now.pending
    assert second.key in now.pending
    assert now == fold_all(events(run))
