"""Answers of scripts and rehearsals on the thread that reads the run."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest

from tests.runner.conftest import Begin
from workflows.actions import run_log, runs
from workflows.actions.run_log import StaleLog
from workflows.actions.run_steps import step
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.signals import Control, Reply
from workflows.models import Job, Run, RunEvent
from workflows.runner import inline
from workflows.runner.drivers.script_turns import Turns
from workflows.runner.inline import advance, deliver_signals
from workflows.runner.queue import leases
from workflows.selectors.runs import event_of

RELAY = {
    "start": {"model": {"on": "other", "out": "done"}},
    "other": {"model": {"on": "start"}},
    "done": {"end": "completed"},
}
THERE_AND_BACK = [{"structured": {"go": go}} for go in ("on", "on", "on", "on", "out")]


def held(run: Run) -> Run:
    """The same run, in the hands of a worker."""
    leases.claim("one", now=time.time(), room=1, max_runs=100, exclude=())
    return run


def reply(log: run_log.Log, go: str) -> Reply:
    return Reply(at=time.time(), key=pending_effects(log.run)[0].key, structured={"go": go})


def events(run: Run) -> list[Any]:
    return [event_of(row) for row in RunEvent.objects.filter(run=run).order_by("n")]


def test_a_scripted_run_completes_inline(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline, "TIME_SLICE", 60.0)
    run = held(begin(RELAY, driver="script", script={"replies": THERE_AND_BACK}))
    log, more = advance(run.pk)
    assert (log.run.status, log.run.transitions, more) == ("completed", 5, False)
    assert Run.objects.get(pk=run.pk).status == "completed"
    assert [event.n for event in events(run)] == list(range(1, log.run.n + 1))
    assert fold_all(events(run)) == log.run
    assert not Job.objects.exists()


def test_a_run_yields_after_its_time_slice(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline, "TIME_SLICE", -1.0)
    monkeypatch.setattr(inline, "COMMIT_INTERVAL", -1.0)
    run = begin(RELAY, driver="script", script={"replies": THERE_AND_BACK})
    log, more = advance(run.pk)
    assert (log.run.transitions, more) == (1, True)


@pytest.mark.parametrize(
    "options",
    [
        {"driver": "manual"},
        {"driver": "script", "script": {"replies": []}},
        {"driver": "script", "script": {"replies": THERE_AND_BACK}, "delay_ms": 5},
        {"driver": "script", "script": {"replies": THERE_AND_BACK}, "paused": True},
    ],
    ids=["a person", "no reply left", "a pace", "paused"],
)
def test_effects_that_need_waiting_are_not_answered_inline(
    begin: Begin, options: dict[str, Any]
) -> None:
    run = begin(RELAY, **options)
    before = events(run)
    log, more = advance(run.pk)
    assert (log.run.transitions, more) == (0, False)
    assert events(run) == before


def test_a_script_answers_tools_commands_and_people_inline(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inline, "TIME_SLICE", 60.0)
    table = {
        "start": {"tool": "try"},
        "try": {"command": ("yes", "no")},
        "yes": {"human": {"on": "done"}},
        "no": {"end": "failed"},
        "done": {"end": "completed"},
    }
    script = {
        "tools": [{"result": "found"}],
        "commands": [{"exit": 0}],
        "answers": [{"event": "on"}],
    }
    log, more = advance(held(begin(table, driver="script", script=script)).pk)
    assert (log.run.status, more) == ("completed", False)
    assert fold_all(events(log.row)) == log.run


def test_an_allowed_command_is_not_simulated(begin: Begin, settings: Any) -> None:
    settings.SIGNALBOX_COMMANDS = True
    table = {"start": {"command": ("start", "start")}}
    script = {"commands": [{"exit": 0}]}
    log, more = advance(begin(table, driver="script", script=script, commands=True).pk)
    assert (log.run.transitions, len(log.run.pending), more) == (0, 1, False)


def test_a_long_script_is_processed_once(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the number of entries looked at: 400 answers are no reason to look at 80,000."""
    looked = Counter()
    first = Turns._first

    def counting(turns: Turns, gone: Any, state: str) -> Any:
        looked[state] += 1
        return first(turns, gone, state)

    monkeypatch.setattr(Turns, "_first", counting)
    monkeypatch.setattr(inline, "TIME_SLICE", 60.0)
    replies = [{"structured": {"go": "on"}}] * 399 + [{"structured": {"go": "out"}}]
    table = {"start": {"model": {"on": "start", "out": "done"}}, "done": {"end": "completed"}}
    log, _ = advance(held(begin(table, driver="script", script={"replies": replies})).pk)
    assert (log.run.status, log.run.transitions) == ("completed", 400)
    assert looked.total() < 1_000


def test_an_answer_with_a_stale_log_is_delivered(
    begin: Begin,
) -> None:
    run = held(begin(RELAY))
    old = runs.work_of(run.pk)
    answer = reply(old, "on")
    runs.signal(run.pk, Control(at=time.time(), what="pause"))
    now = deliver_signals(run.pk, old, [answer])
    assert (now.run.status, now.run.transitions) == ("paused", 1)
    assert now.run == runs.work_of(run.pk).run == fold_all(events(run))


def test_an_inline_step_with_a_stale_log_writes_nothing(begin: Begin) -> None:
    run = held(begin(RELAY))
    old = runs.work_of(run.pk)
    runs.signal(run.pk, Control(at=time.time(), what="pause"))
    before = events(run)
    with pytest.raises(StaleLog):
        step(old, reply(old, "on"))
    assert events(run) == before
    assert fold_all(before) == runs.work_of(run.pk).run


def test_a_repeated_answer_changes_nothing(begin: Begin) -> None:
    log = runs.work_of(held(begin(RELAY)).pk)
    answer = reply(log, "on")
    after = step(log, answer)
    assert step(after, answer) is after


def test_a_deleted_job_is_recreated_while_an_effect_is_pending(begin: Begin) -> None:
    run = held(begin(RELAY))
    log = runs.work_of(run.pk)
    Job.objects.all().delete()
    step(log, reply(log, "on"))
    assert Job.objects.get(run=run).worker == ""
