"""Sums of the visits, seconds, tokens, cost and failures of states over runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.test_people import ROWS, log_of
from workflows.core.engine.events import Event
from workflows.plugins.heat.sums import StateHeat, add_run, is_failure


def log(*events: tuple[str, float, dict[str, Any]]) -> list[Event]:
    return [
        Event(n=n, at=at, type=type, fields=fields)
        for n, (type, at, fields) in enumerate(events, start=1)
    ]


WRITE = {"position": "0", "state": "write"}
ONE = log(
    ("state.entered", 10.0, WRITE),
    ("model.asked", 10.0, WRITE),
    (
        "model.replied",
        13.0,
        {**WRITE, "usage": {"input_tokens": 30, "output_tokens": 5, "cost": 0.25}},
    ),
    ("transition.taken", 14.0, {"position": "0", "source": "write", "target": "test"}),
    ("state.entered", 14.0, {"position": "0", "state": "test"}),
    ("tool.called", 14.0, {"position": "0", "state": "test", "name": "ls"}),
    ("tool.returned", 15.0, {"position": "0", "state": "test", "error": "no disk"}),
    ("run.finished", 16.0, {"status": "failed", "reason": "no disk"}),
)


def test_states_have_their_sums() -> None:
    sums: dict[str, StateHeat] = {}
    add_run(sums, ONE)
    assert sums["write"] == StateHeat(
        state="write", visits=1, seconds=4.0, model_calls=1, tokens=35, cost=0.25
    )
    assert sums["test"] == StateHeat(state="test", visits=1, seconds=2.0, tool_calls=1, failures=1)


def test_a_pause_without_an_answer_is_a_failure_of_the_calling_state() -> None:
    sums: dict[str, StateHeat] = {}
    add_run(
        sums,
        log(
            ("state.entered", 1.0, WRITE),
            ("model.asked", 1.0, {**WRITE, "key": "0:1"}),
            ("run.paused", 2.0, {"reason": "The key was rejected.", "unanswered": "0:1"}),
        ),
    )
    assert sums == {
        "write": StateHeat(state="write", visits=1, seconds=1.0, model_calls=1, failures=1)
    }


def test_a_second_run_is_added() -> None:
    sums: dict[str, StateHeat] = {}
    add_run(sums, ONE)
    add_run(sums, ONE)
    assert (sums["write"].visits, sums["write"].seconds, sums["write"].cost) == (2, 8.0, 0.5)


def test_branches_have_their_own_time() -> None:
    sums: dict[str, StateHeat] = {}
    add_run(
        sums,
        log(
            ("state.entered", 1.0, {"position": "0.0", "state": "left"}),
            ("state.entered", 1.0, {"position": "0.1", "state": "right"}),
            ("state.left", 3.0, {"position": "0.0", "state": "left"}),
            ("run.finished", 6.0, {"status": "completed"}),
        ),
    )
    assert (sums["left"].seconds, sums["right"].seconds) == (2.0, 5.0)


def test_a_failed_end_is_a_failure_of_the_branch_that_was_entered_last() -> None:
    sums: dict[str, StateHeat] = {}
    add_run(
        sums,
        log(
            ("state.entered", 1.0, {"position": "0.0", "state": "left"}),
            ("state.entered", 1.0, {"position": "0.1", "state": "right"}),
            ("run.finished", 6.0, {"status": "failed", "reason": "no disk"}),
        ),
    )
    assert (sums["left"].failures, sums["right"].failures) == (0, 1)


def test_a_visit_that_goes_on_lasts_until_the_newest_event() -> None:
    sums: dict[str, StateHeat] = {}
    add_run(sums, ONE[:3])
    assert sums["write"].seconds == 3.0


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["kind"])
def test_a_denial_is_no_failure(row: dict[str, Any]) -> None:
    last = log_of(row)[-1]
    assert is_failure(last) is (row["tone"] == "bad" and last.type == "command.finished")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["kind"])
def test_an_answer_of_a_person_is_no_call_of_a_tool(row: dict[str, Any]) -> None:
    sums: dict[str, StateHeat] = {}
    add_run(sums, log_of(row))
    assert sums["review"].tool_calls == 0
