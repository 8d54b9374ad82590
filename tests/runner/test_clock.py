"""Periodic tasks: schedules, the heartbeat and missed times."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tests.support.tiny_dialect import tiny_pack
from workflows.actions import trigger_runs, triggers
from workflows.actions.packs import delete
from workflows.models import Firing, Run, Trigger
from workflows.runner import periodic_tasks

TABLE = {"start": {"human": {"on": "done"}}, "done": {"end": "completed"}}
pytestmark = pytest.mark.django_db(transaction=True)


def scheduled(ago: timedelta = timedelta(), table: Any = TABLE, **given: Any) -> Trigger:
    """A schedule for every minute that was due this long ago."""
    owner, _ = User.objects.get_or_create(username="ada")
    row, _ = triggers.create(
        tiny_pack(table),
        kind="schedule",
        by=owner,
        **{"name": "Each minute", "driver": "manual", "cron": "* * * * *", **given},
    )
    row.next_at = timezone.now() - ago
    row.save()
    return row


def next_of(row: Trigger) -> datetime | None:
    row.refresh_from_db()
    return row.next_at


def test_a_due_schedule_starts_a_run_and_advances() -> None:
    row = scheduled(timedelta(seconds=1), options={"inputs": {"day": "today"}})
    due = row.next_at
    assert periodic_tasks.fire_due_triggers() == 1
    run = Run.objects.get()
    assert (run.source, run.trigger_id, run.revision) == ("schedule", row.pk, 1)
    assert run.options["inputs"] == {"day": "today"}
    fired = Firing.objects.get()
    assert (fired.outcome, fired.due_at, fired.run_id) == ("started", due, run.pk)
    assert run.events.get(n=1).fields["started_by"] == "schedule"
    following = next_of(row)
    assert following is not None
    assert timezone.now() < following <= timezone.now() + timedelta(minutes=1)
    assert periodic_tasks.fire_due_triggers() == 0


def test_only_one_of_many_workers_starts_a_scheduled_run() -> None:
    row = scheduled(timedelta(seconds=1))
    now = timezone.now()

    def look(_: int) -> trigger_runs.Fired | None:
        try:
            return trigger_runs.fire_due(row.pk, now)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        fired = [one for one in pool.map(look, range(6)) if one is not None]
    assert len(fired) == 1
    assert (Run.objects.count(), Firing.objects.count()) == (1, 1)


def test_the_same_due_time_starts_no_second_run() -> None:
    row = scheduled(timedelta(seconds=1))
    due = row.next_at
    periodic_tasks.fire_due_triggers()
    Trigger.objects.update(next_at=due)  # as if a worker had died before it set the next time
    fired = trigger_runs.fire_due(row.pk, timezone.now())
    assert fired is not None
    assert fired.repeated
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    ("missed", "runs", "outcome"), [("once", 1, "started"), ("skip", 0, "skipped")]
)
def test_missed_times_are_run_once_or_skipped(missed: str, runs: int, outcome: str) -> None:
    row = scheduled(timedelta(days=400), missed=missed)
    assert periodic_tasks.fire_due_triggers() == runs
    assert Run.objects.count() == runs
    assert Firing.objects.get().outcome == outcome
    following = next_of(row)
    assert following is not None
    assert following > timezone.now()


def test_a_schedule_that_is_off_is_not_due() -> None:
    row = scheduled(timedelta(seconds=1))
    triggers.change(row.pk, by=User.objects.get(), enabled=False)
    assert periodic_tasks.fire_due_triggers() == 0
    triggers.change(row.pk, by=User.objects.get(), enabled=True)
    assert next_of(row) is not None


def test_a_schedule_that_cannot_start_records_the_reason() -> None:
    row = scheduled(timedelta(seconds=1), {"cannot": {"why": "It is only drawn."}})
    assert periodic_tasks.fire_due_triggers() == 0
    noted = Firing.objects.get()
    assert (noted.outcome, noted.reason) == ("refused", "It is only drawn.")
    following = next_of(row)
    assert following is not None
    assert following > timezone.now()


def test_an_internal_error_does_not_stop_other_schedules(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = scheduled(timedelta(seconds=2)), scheduled(timedelta(seconds=1))
    start = trigger_runs.runs.start

    def broken(pack: Any, **given: Any) -> Run:
        if given["trigger"].pk == first.pk:
            raise RuntimeError("a bug")
        return start(pack, **given)

    monkeypatch.setattr(trigger_runs.runs, "start", broken)
    assert periodic_tasks.fire_due_triggers() == 1
    assert Firing.objects.get(trigger=first).reason == trigger_runs.BROKE
    assert Run.objects.get().trigger_id == second.pk


def test_deleting_a_pack_deletes_its_triggers() -> None:
    row = scheduled(timedelta(seconds=1))
    periodic_tasks.fire_due_triggers()
    delete(row.pack_id)
    assert not Trigger.objects.exists()
    assert not Firing.objects.exists()


async def test_periodic_tasks_repeat() -> None:
    from asgiref.sync import sync_to_async

    await sync_to_async(scheduled)(timedelta(seconds=1))
    async with periodic_tasks.run_periodic_tasks(poll_interval=0.01):
        while not await Run.objects.aexists():
            pass
    heard = periodic_tasks.last_heartbeat()
    assert heard is not None


@pytest.mark.parametrize(
    ("overlap", "waiting", "outcomes"),
    [
        ("allow", 2, ["started", "started"]),
        ("skip", 1, ["started", "skipped"]),
        ("replace", 1, ["started", "started"]),
    ],
)
def test_a_schedule_whose_run_waits_follows_its_policy(
    overlap: str, waiting: int, outcomes: list[str]
) -> None:
    row = scheduled(timedelta(seconds=1), overlap=overlap)
    periodic_tasks.fire_due_triggers()
    first = Run.objects.get()
    Trigger.objects.update(next_at=timezone.now() - timedelta(milliseconds=1))
    periodic_tasks.fire_due_triggers()
    assert Run.objects.filter(finished_at=None).count() == waiting
    firings = Firing.objects.filter(trigger=row).order_by("pk")
    assert [one.outcome for one in firings] == outcomes
    first.refresh_from_db()
    assert (first.finished_at is not None) == (overlap == "replace")
    if overlap == "skip":
        assert str(first.pk)[:8] in firings[1].reason
    assert next_of(row) is not None
