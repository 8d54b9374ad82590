"""`signalbox prune` prints deletions first; and the metrics port of a worker."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from signalbox.cli import main
from signalbox.commands import server
from tests.support.tiny_dialect import register, tiny_pack
from workflows.actions import runs
from workflows.core.dialects import dialects
from workflows.models import Run

TABLE = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}


@pytest.fixture
def old_run(db: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A run that was over ten days ago."""
    monkeypatch.setattr(server, "prepare", lambda command: None)
    register()
    run = runs.start(tiny_pack(TABLE), driver="manual", options={})
    runs.fail(run.pk, "Over.")
    Run.objects.update(finished_at=timezone.now() - timedelta(days=10))
    yield run
    dialects().pop("tiny", None)


def test_a_dry_run_only_prints_what_would_be_deleted(
    old_run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prune", "--days", "9", "--dry-run"]) == 0
    assert capsys.readouterr().out == "1 run (1 failed) with 5 events would be deleted.\n"
    assert Run.objects.exists()


def test_deletions_are_printed_first(old_run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prune", "--days", "9"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told == ["1 run (1 failed) with 5 events go.", "1 run is deleted."]
    assert not Run.objects.exists()
    assert main(["prune", "--days", "9"]) == 0
    assert capsys.readouterr().out == "Nothing to delete: no run is old enough.\n"


def test_a_server_that_keeps_runs_forever_prunes_nothing(
    old_run: Run, capsys: pytest.CaptureFixture[str], settings: Any
) -> None:
    assert main(["prune"]) == 2
    assert "keeps runs forever" in capsys.readouterr().err
    settings.SIGNALBOX_KEEP_DAYS = settings.SIGNALBOX_KEEP_FAILED_DAYS = 11
    assert main(["prune"]) == 0
    assert Run.objects.exists()
