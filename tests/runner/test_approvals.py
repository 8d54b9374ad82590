"""Approval rows of pending questions."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.runner.conftest import Begin
from tests.runner.test_killed_worker import kill_after, to_the_end
from workflows.actions import runs
from workflows.actions.approval_answers import answer
from workflows.actions.approvals import waiting_for_people
from workflows.actions.unperformed_effects import LeftToPerson
from workflows.core.engine.fold import ANSWER_EVENTS, fold_all
from workflows.core.engine.signals import Control, Fire
from workflows.errors import AnsweredMeanwhile, BadRequest, NotThere
from workflows.models import Approval, Run, RunEvent
from workflows.selectors.runs import event_of

END = {"done": {"end": "completed"}, "lost": {"end": "failed"}}
YES_OR_NO = {"start": {"approve": ("done", "lost")}, **END}
A_WAY = {"start": {"human": {"on": "done", "off": "lost"}}, **END}
A_COMMAND = {"start": {"command": ("done", "lost")}, **END}
A_TOOL = {"start": {"tool": "done"}, **END}
A_MODEL = {"start": {"model": {"on": "done"}}, **END}


def left_to_people(run: Run) -> None:
    """Settle the run like a worker that cannot answer its effects."""
    now = runs.work_of(run.pk).run
    assert runs.settle(run.pk, n=now.n, people=dict.fromkeys(now.pending, LeftToPerson()), due=None)


def agrees(run: Run) -> bool:
    """Return True if the rows match the pending and answered questions of the log."""
    log = list(map(event_of, RunEvent.objects.filter(run=run).order_by("n")))
    row = Run.objects.get(pk=run.pk)
    open_rows = Approval.objects.filter(run=run, status="open").values_list("key", flat=True)
    answered = {event.fields["key"] for event in log if event.type == "approval.given"}
    closed = Approval.objects.filter(run=run, status="approved").values_list("key", flat=True)
    return set(open_rows) == set(waiting_for_people(fold_all(log), row)) and set(closed) == answered


@pytest.mark.parametrize(
    ("table", "kind", "said", "ends"),
    [
        (YES_OR_NO, "approve", {"approve": True}, "completed"),
        (YES_OR_NO, "approve", {"approve": False, "reason": "Too dear."}, "failed"),
        (A_WAY, "event", {"event": "on"}, "completed"),
        (A_COMMAND, "command", {"edited": {"given": {"exit": 0}}}, "completed"),
        (A_COMMAND, "command", {"approve": False, "reason": "Too dear."}, "failed"),
        (A_COMMAND, "command", {"edited": {"given": {"exit": 3}}}, "failed"),
        (A_TOOL, "tool", {"edited": {"given": "It rains."}}, "completed"),
        (A_MODEL, "model", {"edited": {"given": {"go": "on"}}}, "completed"),
    ],
)
def test_an_approval_row_holds_question_and_answer(
    begin: Begin, table: dict[str, Any], kind: str, said: dict[str, Any], ends: str
) -> None:
    run = begin(table)
    left_to_people(run)
    row = Approval.objects.get(run=run)
    assert (row.kind, row.state, row.status) == (kind, "start", "open")
    assert row.asks == runs.work_of(run.pk).run.pending[row.key]
    events = answer(row.pk, by="ada", **said)
    row.refresh_from_db()
    assert events[0].type in ANSWER_EVENTS
    assert events[0].fields["by"] == row.answered_by == "ada"
    yes_or_no = "denied" if said.get("approve") is False else "approved"
    assert row.status == ("answered" if {"event", "edited"} & set(said) else yes_or_no)
    assert row.reason == said.get("reason", "")
    assert row.answer is not None
    assert row.answered_at is not None
    ended = Run.objects.get(pk=run.pk)
    assert ended.status == ends
    assert ended.waited_seconds == round(runs.work_of(run.pk).run.waited_seconds, 3) > 0


@pytest.mark.parametrize(
    ("table", "said", "where"),
    [
        (A_WAY, {"approve": False}, "approve"),
        (A_WAY, {"event": "elsewhere"}, "event"),
        (A_WAY, {}, "event"),
        (A_MODEL, {}, "edited"),
        (YES_OR_NO, {"edited": {"given": {"x": 1}}}, "edited"),
        (A_COMMAND, {"edited": {"given": "fine"}}, "edited"),
        (A_COMMAND, {"edited": {"given": {"stdout": "fine"}}}, "edited"),
        (A_COMMAND, {"approve": True}, "edited"),
        (A_TOOL, {"approve": True}, "edited"),
    ],
)
def test_an_answer_of_the_wrong_kind_changes_nothing(
    begin: Begin, table: dict[str, Any], said: dict[str, Any], where: str
) -> None:
    run = begin(table)
    left_to_people(run)
    row = Approval.objects.get(run=run)
    with pytest.raises(BadRequest) as refused:
        answer(row.pk, by="ada", **said)
    assert refused.value.where == where
    assert Approval.objects.get().status == "open"


def test_a_second_answer_is_rejected_with_the_name_of_the_first(begin: Begin) -> None:
    row = Approval.objects.get(run=begin(YES_OR_NO))
    answer(row.pk, approve=False, reason="Not today", by="ada")
    with pytest.raises(AnsweredMeanwhile, match="ada has already denied this: Not today"):
        answer(row.pk, by="bob")
    with pytest.raises(NotThere):
        answer(row.run_id, by="bob")


@pytest.mark.parametrize(
    "signal", [Control(at=2e9, what="cancel"), Fire(at=2e9, event="on")], ids=["cancel", "fire"]
)
def test_a_withdrawn_question_closes_its_row(begin: Begin, signal: Any) -> None:
    run = begin(A_WAY)
    row = Approval.objects.get(run=run)
    runs.signal(run.pk, signal)
    row.refresh_from_db()
    assert (row.status, row.answer) == ("withdrawn", None)
    with pytest.raises(AnsweredMeanwhile, match="no longer needs this"):
        answer(row.pk, by="ada", event="on")


def test_a_paused_run_keeps_its_question(begin: Begin) -> None:
    run = begin(YES_OR_NO)
    runs.signal(run.pk, Control(at=2e9, what="pause"))
    assert Approval.objects.get(run=run).status == "open"
    assert agrees(run)


@pytest.mark.parametrize(
    "options", [{"driver": "rehearsal"}, {"deny": True}], ids=["made-up", "deny"]
)
def test_an_approval_without_a_person_has_no_row(begin: Begin, options: dict[str, Any]) -> None:
    begin(YES_OR_NO, **options)
    assert not Approval.objects.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc")
def test_approval_rows_match_the_log_after_a_kill(begin: Begin) -> None:
    table = {
        "start": {"approve": ("s1", "lost")},
        **{f"s{n}": {"approve": (f"s{n + 1}", "lost")} for n in range(1, 12)},
        "s12": {"command": ("done", "lost")},
        **END,
    }
    script = {"answers": [{"approve": True}], "repeat_last": True}
    run = begin(table, driver="script", script=script, delay_ms=5)
    for commits in (2, 1, 3):
        kill_after(commits)
        assert agrees(run)
    assert Run.objects.get(pk=run.pk).finished_at is None
    runs.signal(run.pk, Control(at=2e9, what="cancel"))
    to_the_end()
    assert agrees(run)
    assert set(Approval.objects.values_list("status", flat=True)) == {"approved", "withdrawn"}
