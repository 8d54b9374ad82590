"""The active time of a run: without pauses, and without the time before a fork continued."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.checks import each_row
from tests.support.state_machine import Machine
from workflows.core.engine.active_clock import ActiveClock
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.program import Budget
from workflows.core.engine.result import run_result
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Control, Reply, Start
from workflows.core.engine.transition import advance

LOOP = {"start": {"model": {"stay": "start"}}}
YEAR = 365 * 24 * 3600.0


ROWS = json.loads((Path(__file__).parents[1] / "vectors" / "times.json").read_text())
"""`fold.test.ts` reads the same table."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_waits_and_idle_times_are_no_work(row):
    log = [
        Event(n=n, at=100.0 + fields.pop("at"), type=fields.pop("type"), fields=fields)
        for n, fields in enumerate(map(dict, row["events"]), start=1)
    ]
    run, clock = fold_all(log), ActiveClock()
    assert (run.active_seconds, run.waited_seconds) == (row["seconds"], row["waited"])
    assert [clock.read(event) for event in log][-1] == 100.0 + row["seconds"]


def logged(*events: tuple[float, str, dict[str, object]]) -> list[Event]:
    return [
        Event(n=n, at=at, type=type, fields=fields)
        for n, (at, type, fields) in enumerate(events, start=1)
    ]


def forked(gap: float, *earlier: int) -> list[Event]:
    """A run of 3 s that a fork continued after `gap`, from its second event, for 2 s."""
    origin: dict[str, object] = {"run": "r", "at": 2}
    if earlier:
        origin["earlier"] = list(earlier)
    return logged(
        (100.0, "run.started", {"forked_from": origin}),
        (103.0, "state.entered", {"position": "0", "state": "a"}),
        (103.0 + gap, "state.left", {"position": "0", "state": "a"}),
        (105.0 + gap, "run.finished", {"status": "completed"}),
    )


def test_the_time_before_a_fork_continued_is_not_counted():
    run = fold_all(forked(YEAR))
    assert (run.active_seconds, run.idle_seconds) == (5.0, YEAR)
    assert run_result(run, ())["totals"]["seconds"] == 5.0


def test_a_fork_of_a_fork_leaves_out_both():
    run = fold_all(forked(YEAR, 1))
    assert run.active_seconds == 2.0


def test_pauses_are_not_counted():
    log = logged(
        (100.0, "run.started", {}),
        (101.0, "run.paused", {}),
        (150.0, "run.paused", {"position": "0"}),
        (200.0, "run.resumed", {}),
        (202.0, "run.resumed", {"key": "0:1"}),
        (203.0, "run.paused", {}),
    )
    assert [fold_all(log[:n]).active_seconds for n in range(1, 7)] == [0, 1, 1, 1, 3, 4]
    later = replace(fold_all(log), now=999.0)
    assert later.active_seconds == 4


@each_row(["pause", "fork"])
def test_a_wall_time_budget_does_not_count_a_halt(halt):
    program, budget = Machine(table=LOOP), Budget(wall_seconds=60)
    started, run = advance(program, RunState(), Start(at=1.0), budget=budget)
    if halt == "pause":
        _, run = advance(program, run, Control(at=2.0, what="pause"), budget=budget)
        _, run = advance(program, run, Control(at=YEAR, what="resume"), budget=budget)
    else:
        origin = {"forked_from": {"run": "r", "at": len(started)}}
        first = Event(n=1, at=1.0, type="run.started", fields=started[0].fields | origin)
        run = fold_all([first, *started[1:]])
    for at in (10.0, 58.0):
        (key,) = run.pending
        reply = Reply(at=YEAR + at, key=key, structured={"go": "stay"})
        _, run = advance(program, run, reply, budget=budget)
        assert run.status == "running", run.reason
    (key,) = run.pending
    late = Reply(at=YEAR + 120.0, key=key, structured={"go": "stay"})
    _, run = advance(program, run, late, budget=budget)
    assert run.status == "budget_exhausted"
