"""Pruning of old runs and of everything that belongs to them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from tests.runner.conftest import Begin
from workflows.actions import retention, runs
from workflows.models import Approval, Artifact, AuditEntry, Firing, Job, Run, RunEvent
from workflows.runner.periodic_tasks import prune_old
from workflows.selectors.retention import Limits, in_words, old

TABLE = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}
MONTH = Limits(days=30, failed_days=60)


@pytest.fixture(autouse=True)
def workspaces(settings: Any, tmp_path: Path) -> Path:
    settings.DATA = tmp_path
    return tmp_path / "workspaces"


def ended(begin: Begin, *, days: int, status: str = "completed", **marks: Any) -> Run:
    run = begin(TABLE)
    if status:
        runs.fail(run.pk, "Over.")
        finished = timezone.now() - timedelta(days=days)
        Run.objects.filter(pk=run.pk).update(status=status, finished_at=finished, **marks)
    return run


def left() -> set[Any]:
    return set(Run.objects.values_list("pk", flat=True))


def test_only_old_unprotected_runs_are_pruned(begin: Begin) -> None:
    stay = [
        ended(begin, days=29),
        ended(begin, days=59, status="failed"),
        ended(begin, days=400, kept="star"),
        ended(begin, days=400, kept="script"),
        ended(begin, days=400, status=""),
    ]
    gone = [
        ended(begin, days=31),
        ended(begin, days=31, status="cancelled"),
        ended(begin, days=61, status="failed"),
        ended(begin, days=61, status="budget_exhausted"),
    ]
    assert len(left()) == len(stay) + len(gone)
    assert in_words(old(MONTH)).startswith(
        "4 runs (1 budget_exhausted, 1 cancelled, 1 completed, 1 failed) with "
    )
    assert sum(retention.prune(MONTH)) == 4
    assert left() == {run.pk for run in stay}
    assert in_words(old(MONTH)) == "no run is old enough"


def test_pruning_deletes_everything_of_a_run(begin: Begin, workspaces: Path) -> None:
    run = ended(begin, days=31)
    Artifact.objects.create(pack=run.pack, run=run, name="diff")
    for one in (run.pk, uuid4()):
        (workspaces / str(one) / "deep").mkdir(parents=True)
    (workspaces / "notes").mkdir()
    sum(retention.prune(MONTH))
    for model in (Run, RunEvent, Artifact, Approval, Job):
        assert not model.objects.exists(), model
    assert [place.name for place in workspaces.iterdir()] == ["notes"]


def test_the_workspace_of_a_remaining_run_remains(begin: Begin, workspaces: Path) -> None:
    run = ended(begin, days=1)
    (workspaces / str(run.pk)).mkdir(parents=True)
    sum(retention.prune(MONTH))
    assert (workspaces / str(run.pk)).is_dir()


def test_large_deletes_are_split(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        ended(begin, days=31)
    monkeypatch.setattr(retention, "AT_A_TIME", 2)
    assert list(retention.prune(MONTH)) == [2, 2, 1]


def test_runs_with_many_events_are_deleted_alone(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        ended(begin, days=31)
    monkeypatch.setattr(retention, "EVENTS_AT_A_TIME", 1)
    assert list(retention.prune(MONTH)) == [1, 1, 1]


def test_a_star_is_set_and_removed(begin: Begin) -> None:
    run = ended(begin, days=31)
    retention.keep(run.pk, True)
    assert sum(retention.prune(MONTH)) == 0
    retention.keep_for_script(run.pk)
    assert Run.objects.get().kept == "star"
    retention.keep(run.pk, False)
    assert sum(retention.prune(MONTH)) == 1


@pytest.mark.parametrize(("days", "gone"), [(None, 0), (30, 1)])
def test_the_periodic_prune_uses_the_servers_settings(
    begin: Begin, settings: Any, days: int | None, gone: int
) -> None:
    settings.SIGNALBOX_KEEP_DAYS = settings.SIGNALBOX_KEEP_FAILED_DAYS = days
    ended(begin, days=31)
    assert prune_old() == gone
    assert Run.objects.count() == 1 - gone


def test_only_failed_runs_may_be_limited(begin: Begin) -> None:
    ended(begin, days=400)
    ended(begin, days=400, status="failed")
    assert sum(retention.prune(Limits(days=None, failed_days=10))) == 1
    assert Run.objects.get().status == "completed"
    assert not Firing.objects.exists()


def test_old_entries_of_the_audit_log_are_deleted(db: None, settings: Any) -> None:
    for days in (10, 40):
        entry = AuditEntry.objects.create(operation="run", method="POST", path="/", status=201)
        AuditEntry.objects.filter(pk=entry.pk).update(at=timezone.now() - timedelta(days=days))
    prune_old()
    assert AuditEntry.objects.count() == 2, "by default they are kept"
    settings.SIGNALBOX_KEEP_AUDIT_DAYS = 30
    prune_old()
    (entry,) = AuditEntry.objects.all()
    assert entry.at > timezone.now() - timedelta(days=30)
