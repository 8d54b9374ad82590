"""The editing tasks of `tests/tasks`, carried out with the tools alone."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from tests.cli.mcp.conftest import Connect
from tests.support.editing_tasks import Outcome, editing_tasks

FIFTH = 0.2


async def test_each_task_is_done_and_changes_nothing_else(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tasks together take a fifth of the tokens of reading and rewriting the files, in the
    median. A token counts as four bytes on both sides."""
    outcomes: dict[str, Outcome] = {}
    for task in editing_tasks():
        folder = tmp_path / task.name
        folder.mkdir()
        monkeypatch.chdir(folder)
        async with connect() as agent:
            outcomes[task.name] = found = await task.carry_out(agent, folder)
            now = await agent("check", pack=task.body["pack"])
        assert now["revision"] == found.answer["revision"], task.name
        assert found.answer["changes"] == task.body["changes"], task.name
        assert found.bytes == task.body["bytes"], task.name
        codes = sorted(one["code"] for one in found.answer.get("findings_new", ()))
        assert codes == task.body["findings"], task.name
        assert found.answer["written"] == sorted(found.bytes), task.name
    assert len(outcomes) >= 50
    assert statistics.median(one.share for one in outcomes.values()) <= FIFTH
