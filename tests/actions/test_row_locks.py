"""Writes that read before they write hold the row that two of them would both read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tests.support.server_fixtures import Edit
from workflows.actions import notes, save_revision, tool_bindings, trigger_runs
from workflows.models import Firing, Pack, Trigger


def test_an_edit_that_was_overtaken_too_often_locks_the_pack(
    pack: Pack, edit: Edit, locked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    edit({"type": "add_state", "id": "D"})
    assert locked == []
    monkeypatch.setattr(save_revision, "ATTEMPTS", 0)
    edit({"type": "add_state", "id": "E"})
    assert locked == ["Pack"]


def test_a_note_locks_its_pack_so_that_the_limit_holds(pack: Pack, locked: list[str]) -> None:
    notes.write(pack.pk, "key", "text")
    assert locked[:1] == ["Pack"]


def test_a_binding_locks_the_one_it_replaces(pack: Pack, locked: list[str]) -> None:
    tool_bindings.bind(pack, "look", kind="canned", settings={"result": "x"})
    assert locked == ["ToolBinding"]


def test_a_due_schedule_is_locked_while_it_starts_its_run_and_while_it_is_passed_over(
    pack: Pack, ada: User, locked: list[str]
) -> None:
    now = timezone.now()
    schedule = Trigger.objects.create(
        pack=pack,
        kind="schedule",
        cron="* * * * *",
        driver="manual",
        owner=ada,
        next_at=now - timedelta(seconds=1),
    )
    assert trigger_runs.fire_due(schedule.pk, now) is None, "a flow cannot run"
    assert locked == ["Trigger", "Trigger"]
    assert [one.outcome for one in Firing.objects.all()] == ["refused"]
