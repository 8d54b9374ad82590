"""Runs whose models, tools, commands and people are answered by a script."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async

from tests.runner.conftest import worked_off
from workflows.actions import runs
from workflows.core.engine.run import RunState


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


async def test_entries_for_a_state_and_for_any_are_used_in_order(start: Any) -> None:
    replies = [
        {"state": "other", "structured": {"go": "again"}},
        {"structured": {"go": "on"}},
        {"structured": {"go": "out"}},
        {"state": "other", "structured": {"go": "on"}},
    ]
    table = {
        "start": {"model": {"on": "other", "out": "done"}},
        "other": {"model": {"on": "start", "again": "other", "out": "done"}},
        "done": {"end": "completed"},
    }
    run = await played(start, table, script={"replies": replies})
    assert (run.status, run.transitions, run.visits["other"]) == ("completed", 3, 2)
