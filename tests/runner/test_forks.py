"""Forks of runs: copied events, another driver, another revision."""

from __future__ import annotations

import asyncio
import time
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db.models import F

from tests.runner.conftest import Begin, worked_off
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import forks, runs
from workflows.actions.run_programs import program_of
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.replay.recording import expectation, script_of
from workflows.core.engine.replay.verify import verify
from workflows.core.engine.signals import Control, Reply
from workflows.errors import CannotStart
from workflows.models import Job, Revision, Run, RunEvent
from workflows.runner.drivers import drivers
from workflows.runner.drivers.rehearsal import Rehearsal
from workflows.selectors.run_results import result_json
from workflows.selectors.runs import log, run_json

TABLE = {
    "start": {"model": {"on": "look"}},
    "look": {"tool": "ask"},
    "ask": {"model": {"again": "look", "done": "end"}},
    "end": {"end": "completed"},
}


class Refusing(Rehearsal):
    """A driver that always fails."""

    async def answer(self, *asked: Any, **more: Any) -> Any:
        raise AssertionError("Nobody was to be asked.")


def ended(begin: Begin) -> Run:
    row = begin(TABLE, driver="rehearsal", seed=4)
    asyncio.run(worked_off())
    row.refresh_from_db()
    assert row.status == "completed"
    return row


def test_a_fork_copies_the_events_and_calls_no_model(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = ended(begin)
    monkeypatch.setitem(drivers(), "rehearsal", Refusing())
    before = log(old)
    for at in range(1, len(before) + 1):
        try:
            forked = forks.fork(old.pk, at)
        except CannotStart as cannot:
            assert f"no pending effect up to event {at}" in cannot.message
            continue
        assert forked.at <= at
        after = log(forked.row)
        assert after[1:] == before[1 : forked.at]
        assert after[0].fields["run"] == str(forked.row.pk)
        assert forked.row.options["forked_from"] == {"run": str(old.pk), "at": forked.at}
        assert after[0].fields["forked_from"] == forked.row.options["forked_from"]
        assert runs.work_of(forked.row.pk).run.pending == fold_all(before[: forked.at]).pending
        assert Job.objects.filter(run=forked.row).exists()
    assert log(old) == before


def test_a_fork_of_a_fork_names_the_earlier_fork_point(begin: Begin) -> None:
    old = ended(begin)
    first, second, *_ = (event.n for event in log(old) if event.type == "model.asked")
    fork = forks.fork(old.pk, first).row
    asyncio.run(worked_off())
    later = forks.fork(fork.pk, second)
    assert log(later.row)[0].fields["forked_from"] == {
        "run": str(fork.pk),
        "at": later.at,
        "earlier": [first],
    }
    again = forks.fork(later.row.pk, first)
    assert log(again.row)[0].fields["forked_from"] == {"run": str(later.row.pk), "at": first}


def test_the_gap_of_a_fork_is_in_no_duration(begin: Begin) -> None:
    old = ended(begin)
    asked = [event for event in log(old) if event.type == "model.asked"]
    RunEvent.objects.filter(run=old).update(at=F("at") - 3600.0)
    fork = forks.fork(old.pk, asked[1].n).row
    asyncio.run(worked_off())
    fork.refresh_from_db()
    found = result_json(fork, runs.work_of(fork.pk).run)
    assert run_json(fork)["seconds"] == fork.seconds == found["totals"]["seconds"]
    assert 0.0 < fork.seconds < 600
    assert [turn["seconds"] < 600 for turn in found["turns"]] == [True] * len(found["turns"])
    assert fork.ends == "end"


def test_the_migration_computes_the_same_durations_and_ends(begin: Begin) -> None:
    old = ended(begin)
    RunEvent.objects.filter(run=old).update(at=F("at") - 3600.0)
    fork = forks.fork(old.pk, log(old)[-3].n).row
    paused = begin({"start": {"wait": "end"}, "end": {"end": "completed"}}, paused=True)
    runs.signal(paused.pk, Control(at=time.time() + 900.0, what="cancel"))
    asyncio.run(worked_off())
    rows = [Run.objects.get(pk=row.pk) for row in (old, fork, paused)]
    assert all(row.seconds is not None and row.seconds < 600 for row in rows)
    Run.objects.update(ends="", seconds=None)
    migration = import_module("workflows.migrations.0030_run_ends_and_seconds")
    migration.fill(apps, None)
    again = [Run.objects.get(pk=row.pk) for row in rows]
    assert [row.ends for row in again] == [row.ends for row in rows]
    assert [row.seconds for row in again] == [pytest.approx(row.seconds, abs=0.002) for row in rows]


def test_a_fork_continues_with_another_driver(begin: Begin) -> None:
    old = ended(begin)
    asked = [event.n for event in log(old) if event.type == "model.asked"]
    forked = forks.fork(old.pk, asked[1], driver="manual")
    asyncio.run(worked_off())
    forked.row.refresh_from_db()
    assert (forked.at, forked.row.status) == (asked[1], "waiting")
    (effect,) = pending_effects(runs.work_of(forked.row.pk).run)
    runs.signal(forked.row.pk, Reply(at=9.0, key=effect.key, structured={"go": "done"}))
    forked.row.refresh_from_db()
    assert forked.row.status == "completed"
    again = forks.fork(forked.row.pk, asked[0], driver="script", options={"script": whole(old)})
    asyncio.run(worked_off())
    again.row.refresh_from_db()
    assert expectation(log(again.row)) == expectation(log(old))


def whole(row: Run) -> dict[str, Any]:
    return script_of(log(row))


def test_a_fork_starts_before_a_half_done_step(begin: Begin) -> None:
    old = ended(begin)
    left = next(event.n for event in log(old) if event.type == "transition.taken")
    asked = next(event.n for event in log(old) if event.type == "model.asked")
    assert forks.fork(old.pk, left).at == asked


def test_a_fork_may_start_paused(begin: Begin) -> None:
    old = ended(begin)
    forked = forks.fork(old.pk, old.last, options={"paused": True})
    assert forked.row.status == "paused"


def another_revision(row: Run, table: dict[str, Any]) -> int:
    other = tiny_pack(table)
    manifest = Revision.objects.get(pack=other, number=1).manifest
    Revision.objects.create(pack=row.pack, number=2, kind=Revision.Kind.IMPORT, manifest=manifest)
    return 2


def test_a_fork_under_another_revision_repeats_the_pending_request(begin: Begin) -> None:
    old = ended(begin)
    asked = [event.n for event in log(old) if event.type == "model.asked"][1]
    number = another_revision(old, {**TABLE, "ask": {"approve": ("end", "look")}})
    forked = forks.fork(old.pk, asked, revision=number)
    assert forked.row.options["forked_from"]["revision"] == 1
    (effect,) = pending_effects(runs.work_of(forked.row.pk).run)
    assert (type(effect).__name__, effect.state) == ("AskHuman", "ask")


def test_a_fork_rejects_a_revision_without_the_current_state(begin: Begin) -> None:
    old = ended(begin)
    without = {"start": {"model": {"on": "end"}}, "end": {"end": "completed"}}
    number = another_revision(old, without)
    with pytest.raises(CannotStart, match="Revision 2 has no state"):
        forks.fork(old.pk, old.last, revision=number)
    assert Run.objects.count() == 1


def test_a_fork_before_the_first_request_is_rejected(begin: Begin) -> None:
    row = begin({"start": {"end": "completed"}})
    with pytest.raises(CannotStart, match="no pending effect up to event 5"):
        forks.fork(row.pk, 5)


def test_a_starters_limits_are_in_the_log(begin: Begin) -> None:
    row = begin(TABLE, driver="rehearsal", budget={"model_calls": 1})
    asyncio.run(worked_off())
    row.refresh_from_db()
    assert row.status == "budget_exhausted"
    assert verify(program_of(row), log(row)).holds
