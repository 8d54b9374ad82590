"""Row locks of signals and of retention."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from tests.runner.conftest import Begin
from tests.runner.test_runs import LOOP, reply
from workflows.actions import retention, runs
from workflows.models import Run
from workflows.selectors.retention import Limits


def test_a_signal_locks_the_run(begin: Begin, locked: list[str]) -> None:
    run = begin(LOOP)
    del locked[:]
    runs.deliver(run.pk, reply(run, "stay"))
    assert locked == ["Run"]


def test_old_runs_are_locked_before_they_are_deleted(
    begin: Begin, locked: list[str], settings: Any, tmp_path: Path
) -> None:
    settings.DATA = tmp_path
    run = begin(LOOP)
    runs.fail(run.pk, "Over.")
    Run.objects.update(finished_at=timezone.now() - timedelta(days=90))
    del locked[:]
    assert sum(retention.prune(Limits(days=30, failed_days=30))) == 1
    assert set(locked) == {"Run"}
