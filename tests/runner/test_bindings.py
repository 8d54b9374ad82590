"""Tool bindings in runs: calls, errors, overrides, commands and secrets."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.runner.conftest import Begin
from tests.support.people import operator
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import runs, tool_bindings
from workflows.core.engine.signals import Approve, Control
from workflows.models import Run, RunEvent, ToolBinding
from workflows.runner.worker import Worker

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
]

LOOK = {"start": {"tool": "done"}, "done": {"end": "completed"}}
"""Its tool is called `look`."""


@pytest.fixture
def play(worker: Worker) -> Callable[..., Any]:
    """Run the pack with its tool bound like this until only a person can continue it."""

    async def played(
        kind: str = "",
        settings: dict[str, Any] | None = None,
        *,
        driver: str = "manual",
        **more: Any,
    ) -> Run:
        def begun() -> Run:
            pack = tiny_pack(LOOK)
            if kind:
                secrets = more.pop("secrets", None)
                tool_bindings.bind(
                    pack,
                    "look",
                    kind=kind,
                    settings=settings or {},
                    secrets=secrets,
                    author=operator(),
                )
            return runs.start(pack, driver=driver, options=more, owner=operator())

        run = await sync_to_async(begun)()
        async with asyncio.timeout(120):
            await worker.run_until_idle()
        await run.arefresh_from_db()
        return run

    return played


async def returned(run: Run) -> dict[str, Any]:
    event = await RunEvent.objects.filter(run=run, type="tool.returned").afirst()
    return event.fields if event else {}


async def test_a_bound_tool_is_called(play: Any) -> None:
    run = await play("canned", {"result": "a view"})
    assert (run.status, (await returned(run))["result"]) == ("completed", "a view")


async def test_a_tool_error_is_sent_to_the_model(play: Any) -> None:
    run = await play("canned", {"error": "fog"})
    assert (run.status, (await returned(run))["error"]) == ("completed", "fog")


async def test_a_tool_that_is_not_bound_asks_a_person(play: Any) -> None:
    run = await play()
    assert run.status == "waiting"
    await sync_to_async(runs.signal)(run.pk, Approve(at=1.0, text="I looked"))
    assert (await returned(run))["result"] == "I looked"


@pytest.mark.parametrize(
    ("operator", "starter", "status"),
    [(False, True, "waiting"), (True, False, "waiting"), (True, True, "completed")],
)
async def test_commands_need_both_operator_and_starter(
    play: Any, settings: Any, operator: bool, starter: bool, status: str
) -> None:
    settings.SIGNALBOX_COMMANDS = operator
    run = await play("command", {"command": ["cat", "machine.json"]}, commands=starter)
    assert run.status == status
    assert ("start" in (await returned(run)).get("result", "")) == (status == "completed")


async def test_a_rehearsal_calls_no_tool(play: Any) -> None:
    run = await play("canned", {"result": "a view"}, driver="rehearsal")
    assert (await returned(run))["result"] == "Rehearsed result of look."


@pytest.mark.parametrize(
    ("script", "result"),
    [({"tools": [{"result": "scripted"}]}, "scripted"), ({"replies": []}, "a view")],
)
async def test_a_script_comes_before_the_binding(
    play: Any, script: dict[str, Any], result: str
) -> None:
    run = await play("canned", {"result": "a view"}, driver="script", script=script)
    assert (await returned(run))["result"] == result


async def test_a_run_overrides_a_binding(play: Any) -> None:
    other = {"kind": "canned", "settings": {"result": "another"}}
    run = await play("canned", {"result": "a view"}, tools={"look": other})
    assert (await returned(run))["result"] == "another"
    run = await play("canned", {"result": "a view"}, tools={"look": None})
    assert run.status == "waiting"


async def test_a_slow_tool_times_out(play: Any, settings: Any) -> None:
    settings.SIGNALBOX_COMMANDS = True
    slow = {"command": ["sleep", "60"], "timeout": 0.3}
    run = await play("command", slow, commands=True)
    assert run.status == "completed"
    assert "seconds" in (await returned(run))["error"]


async def test_cancelling_a_run_ends_its_command(
    begin: Begin, worker: Worker, settings: Any, tmp_path: Path
) -> None:
    settings.SIGNALBOX_COMMANDS = True
    shared = tmp_path / "shared"
    shared.mkdir()
    settings.SIGNALBOX_COMMAND_PATHS = [shared]
    script = f"echo begun > {shared}/begun; sleep 60; echo on > ended"
    command = {"command": ["sh", "-c", script]}
    look = {"look": {"kind": "command", "settings": command}}
    os.mkfifo(shared / "begun")
    run = await sync_to_async(begin)(LOOK, commands=True, tools=look)
    worker.queue.wake()
    assert await asyncio.to_thread((shared / "begun").read_text) == "begun\n"
    cancel = Control(at=1.0, what="cancel")
    await sync_to_async(runs.signal)(run.pk, cancel)
    async with asyncio.timeout(120):
        await worker.run_until_idle()
    await run.arefresh_from_db()
    assert run.status == "cancelled"
    assert not list(tmp_path.glob("workspaces/*/ended"))


async def test_a_secret_is_in_no_event(play: Any) -> None:
    run = await play("canned", {"result": "hunter22 and more"}, secrets={"key": "hunter22"})
    assert (await returned(run))["result"] == "••• and more"
    row = await ToolBinding.objects.aget()
    assert "hunter22" not in row.sealed_secrets
