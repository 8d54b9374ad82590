"""Signals through `actions.runs`: what they write, what they refuse, and that they happen once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from tests.runner.conftest import Begin
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import run_log, runs
from workflows.actions.run_log import Log
from workflows.actions.unperformed_effects import LeftToPerson
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.signals import Approve, Control, Fire, Reply, Signal, TimeUp
from workflows.errors import BadRequest, CannotStart, NotThere, SignalRefused
from workflows.models import Artifact, Job, Run, RunEvent
from workflows.notifications import bus
from workflows.selectors.runs import event_of

ONE_QUESTION = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}
LOOP = {"start": {"model": {"stay": "start", "on": "done"}}, "done": {"end": "completed"}}
A_PERSON = {"start": {"human": {"on": "done"}}, "done": {"end": "completed"}}
A_COMMAND = {
    "start": {"command": ("done", "lost")},
    "done": {"end": "completed"},
    "lost": {"end": "failed"},
}


def reply(run: Run, go: str) -> Reply:
    (key,) = runs.work_of(run.pk).run.pending
    return Reply(at=time.time(), key=key, structured={"go": go})


def types(run: Run) -> list[str]:
    return list(RunEvent.objects.filter(run=run).order_by("n").values_list("type", flat=True))


def numbers(run: Run) -> list[int]:
    return list(RunEvent.objects.filter(run=run).order_by("n").values_list("n", flat=True))


def delivered(run: Run, answer: Signal, held: Log | None = None) -> list[Event]:
    """The events that this answer adds."""
    before = RunEvent.objects.filter(run=run).count()
    after = runs.deliver(run.pk, answer, held=held)
    events = [event_of(row) for row in RunEvent.objects.filter(run=run).order_by("n")]
    assert after.run == fold_all(events)
    return events[before:]


def test_a_run_starts_with_its_events_its_row_and_a_job(begin: Begin) -> None:
    run = begin(ONE_QUESTION, driver="rehearsal", seed=3)
    run.refresh_from_db()
    assert types(run) == ["run.started", "state.entered", "prompt.logged", "model.asked"]
    assert (run.status, run.last, numbers(run)) == ("running", 4, [1, 2, 3, 4])
    assert RunEvent.objects.get(run=run, n=1).fields["driver"] == "rehearsal"
    assert Job.objects.get(run=run).due_at <= time.time()


def test_an_answer_ends_the_run_and_its_job(begin: Begin) -> None:
    run = begin(ONE_QUESTION)
    events = delivered(run, reply(run, "on"))
    run.refresh_from_db()
    assert events[-1].type == "run.finished"
    assert (run.status, run.last) == ("completed", events[-1].n)
    assert run.finished_at is not None
    assert not Job.objects.filter(run=run).exists()


def test_a_repeated_reply_changes_nothing(begin: Begin) -> None:
    run = begin(LOOP)
    answer = reply(run, "stay")
    first = delivered(run, answer)
    assert first
    assert delivered(run, answer) == []
    assert numbers(run) == list(range(1, first[-1].n + 1))


def test_only_one_of_two_concurrent_answers_counts(begin: Begin) -> None:
    run = begin(LOOP)
    answer = reply(run, "stay")

    def writer(_: int) -> None:
        try:
            runs.deliver(run.pk, answer)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(writer, range(8)))
    assert types(run).count("model.replied") == 1
    assert numbers(run) == list(range(1, len(numbers(run)) + 1))


def test_a_writer_that_lost_its_number_reads_the_log_again(begin: Begin) -> None:
    run = begin(LOOP)
    answer = reply(run, "stay")
    old = runs.work_of(run.pk)
    late = RunEvent(run=run, n=run.last + 1, at=time.time(), type="tiny.note", fields={})
    late.save()
    events = delivered(run, answer, held=old)
    assert events[0].n == late.n + 1
    assert numbers(run) == list(range(1, events[-1].n + 1))


def test_an_answer_to_a_stale_log_is_stored_after_the_other_events(begin: Begin) -> None:
    run = begin(LOOP)
    answer, old = reply(run, "stay"), runs.work_of(run.pk)
    runs.signal(run.pk, Control(at=time.time(), what="pause"))
    assert delivered(run, answer, held=old)
    assert runs.work_of(run.pk).run.status == "paused"


def test_the_answers_before_a_bug_are_stored(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    run = begin(LOOP)
    first, step = reply(run, "stay"), runs.advance

    def broken(program: Any, now: Any, signal: Any, **more: Any) -> Any:
        if signal.key != first.key:
            raise ZeroDivisionError("A bug.")
        return step(program, now, signal, **more)

    monkeypatch.setattr(runs, "advance", broken)
    with pytest.raises(runs.ProgramBroke, match="A bug"):
        runs.deliver(run.pk, first, replace(first, key="0:2"))
    assert "transition.taken" in types(run)


def test_a_kept_fold_is_not_trusted_beyond_its_number(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin(LOOP)
    run_log.FOLDS.put(run.pk, fold_all([], run_log.folded(Run.objects.get(pk=run.pk))))
    runs.deliver(run.pk, reply(run, "stay"))
    kept = runs.work_of(run.pk).run
    monkeypatch.setattr(run_log, "FOLDS", run_log.Folds())
    assert runs.work_of(run.pk).run == kept


def test_notifications_are_sent_after_the_commit(begin: Begin) -> None:
    run = begin(LOOP)
    seen: list[int] = []
    stop = bus.subscribe(lambda ring: seen.append(Run.objects.get(pk=run.pk).last))
    try:
        events = delivered(run, reply(run, "stay"))
    finally:
        stop()
    assert seen == [events[-1].n]


def test_the_stored_events_fold_to_the_run(begin: Begin) -> None:
    run = begin(LOOP)
    for go in ("stay", "nonsense", "on"):
        runs.deliver(run.pk, reply(run, go))
    events = [event_of(row) for row in RunEvent.objects.filter(run=run).order_by("n")]
    assert fold_all(events) == runs.work_of(run.pk).run


def test_a_run_stuck_on_a_person_costs_one_row(begin: Begin) -> None:
    run = begin(A_PERSON)
    now = runs.work_of(run.pk).run
    assert runs.settle(run.pk, n=now.n, people=dict.fromkeys(now.pending, LeftToPerson()), due=None)
    run.refresh_from_db()
    assert run.status == "waiting"
    assert not Job.objects.filter(run=run).exists()
    events = runs.signal(run.pk, Approve(at=time.time(), event="on"))
    assert events[-1].type == "run.finished"


def test_settling_fails_if_the_run_has_changed(begin: Begin) -> None:
    run = begin(LOOP)
    before = runs.work_of(run.pk).run.n
    runs.deliver(run.pk, reply(run, "stay"))
    assert not runs.settle(run.pk, n=before, people={}, due=None)
    assert Job.objects.filter(run=run).exists()


def test_a_manual_run_shows_as_waiting_once(begin: Begin) -> None:
    run = begin(LOOP)
    for _ in range(2):
        now = runs.work_of(run.pk).run
        runs.settle(run.pk, n=now.n, people=dict.fromkeys(now.pending, LeftToPerson()), due=None)
    run.refresh_from_db()
    assert run.status == "waiting"
    assert types(run).count("run.waiting") == 1
    runs.signal(run.pk, reply(run, "stay"))
    run.refresh_from_db()
    assert run.status == "running"


def test_a_person_answers_for_a_forbidden_command(begin: Begin) -> None:
    run = begin(A_COMMAND)
    now = runs.work_of(run.pk).run
    runs.settle(run.pk, n=now.n, people=dict.fromkeys(now.pending, LeftToPerson()), due=None)
    events = runs.signal(run.pk, Approve(at=time.time(), approve=False, text="it broke"))
    ended = events[0]
    assert ended.type == "command.finished"
    assert (ended.fields["exit"], ended.fields["stderr"]) == (126, "it broke")
    assert Run.objects.get(pk=run.pk).status == "failed"


@pytest.mark.parametrize(
    ("signal", "sentence"),
    [
        (Control(at=0, what="resume"), "The run is running, not paused"),
        (Control(at=0, what="step"), "The run is running, not paused"),
        (Fire(at=0, event="fly"), "None of the current states has an event 'fly'."),
        (Reply(at=0, key="0:99"), "not waiting for an answer to '0:99'"),
        (Approve(at=0, key="0:99"), "not waiting for an answer to '0:99'"),
        (TimeUp(at=0, key="x"), "not waiting for an answer to 'x'"),
    ],
)
def test_a_signal_that_changes_nothing_is_refused_with_the_reason(
    begin: Begin, signal: Signal, sentence: str
) -> None:
    run = begin(LOOP)
    with pytest.raises(SignalRefused, match=sentence.replace(".", r"\.")):
        runs.signal(run.pk, signal)
    assert numbers(run) == [1, 2, 3, 4]


def test_an_ended_run_rejects_signals(begin: Begin) -> None:
    run = begin(LOOP)
    runs.signal(run.pk, Control(at=time.time(), what="cancel"))
    with pytest.raises(SignalRefused, match=r"has ended \(cancelled\)"):
        runs.signal(run.pk, Control(at=time.time(), what="pause"))
    assert not Job.objects.filter(run=run).exists()


def test_a_missing_run_raises_not_found(transactional_db: None) -> None:
    with pytest.raises(NotThere):
        runs.signal("00000000-0000-0000-0000-000000000000", Control(at=0, what="cancel"))


def test_a_pack_that_cannot_run_starts_nothing(transactional_db: None) -> None:
    pack = tiny_pack({"cannot": {"why": "There is no entry."}})
    with pytest.raises(CannotStart, match="no entry"):
        runs.start(pack, driver="manual", options={})
    assert not Run.objects.exists()


@pytest.mark.parametrize("budget", [{"patience": 3}, {"tokens": "many"}, {"cost": True}])
def test_an_invalid_budget_starts_nothing(transactional_db: None, budget: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        runs.start(tiny_pack(LOOP), driver="manual", options={"budget": budget})
    assert not Run.objects.exists()


def test_the_starters_budget_holds(begin: Begin) -> None:
    run = begin(LOOP, budget={"model_calls": 2})
    runs.deliver(run.pk, reply(run, "stay"))
    events = delivered(run, reply(run, "stay"))
    assert events[-1].fields["status"] == "budget_exhausted"


def test_a_run_started_paused_performs_nothing_until_resumed(begin: Begin) -> None:
    run = begin(LOOP, paused=True)
    assert not Job.objects.filter(run=run).exists()
    runs.signal(run.pk, Control(at=time.time(), what="step"))
    assert Job.objects.filter(run=run).exists()
    assert types(run)[-1] == "model.asked"


def test_a_value_set_by_a_run_becomes_an_artifact(begin: Begin) -> None:
    run = begin(LOOP)
    log = run_log.Log(row=Run.objects.get(pk=run.pk), run=runs.work_of(run.pk).run)
    drafts = [
        runs.Draft(type="artifact.set", fields={"name": "plan", "value": value, "mode": "append"})
        for value in ("one ", "two")
    ]
    run_log.append(log, run_log.drafted(log.run, drafts, time.time()))
    kept = Artifact.objects.get(run=run, name="plan")
    assert (kept.type, kept.value, kept.n) == ("text", "one two", log.run.n + 2)
