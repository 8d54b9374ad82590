"""Runs whose models, tools, commands and people are answered by a script."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.runner.conftest import worked_off
from workflows.actions import runs
from workflows.core.engine.run import RunState
from workflows.runner.drivers.script_turns import Turns


def ended(run: Any) -> RunState:
    return runs.work_of(run.pk).run


async def played(start: Any, table: Any, **options: Any) -> RunState:
    """The run after a worker has done what it can."""
    run = await start(table, driver="script", **options)
    await worked_off()
    return await sync_to_async(ended)(run)


async def test_a_script_answers_tools_commands_and_people(start: Any) -> None:
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
    assert (await played(start, table, script=script)).status == "completed"


async def test_a_long_script_is_processed_once(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the number of entries looked at: 100 answers are no reason to look at 5,000."""
    looked: Counter[str] = Counter()
    first = Turns._first

    def counting(turns: Turns, gone: Any, state: str) -> Any:
        looked[state] += 1
        return first(turns, gone, state)

    monkeypatch.setattr(Turns, "_first", counting)
    replies = [{"structured": {"go": "on"}}] * 99 + [{"structured": {"go": "out"}}]
    table = {"start": {"model": {"on": "start", "out": "done"}}, "done": {"end": "completed"}}
    run = await played(start, table, script={"replies": replies})
    assert (run.status, run.transitions) == ("completed", 100)
    assert looked.total() < 500
