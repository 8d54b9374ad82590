"""An agent graph on a worker: real files, durable approvals, words from people."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.support.people import operator
from workflows.actions import packs, runs
from workflows.actions.run_log import Log
from workflows.core.engine.effects import Effect
from workflows.core.engine.signals import Signal, Tell
from workflows.errors import SignalRefused
from workflows.models import Approval, Artifact, Run, RunEvent
from workflows.runner.worker import Worker
from workflows.selectors.tool_bindings import tools_json

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
]

ONE, TWO = "docs/templates/one.md", "docs/templates/two.md"
LEAD = {"id": "lead", "role": "orchestrator", "instructions": "Begin."}


def call(name: str, **args: Any) -> str:
    return json.dumps({"tool_call": {"name": name, "args": args}})


def said(*replies: str, answers: tuple[Any, ...] = ()) -> dict[str, Any]:
    script = {"replies": [{"text": text} for text in replies], "answers": list(answers)}
    return {"script": script}


def started(*nodes: dict[str, Any], driver: str = "script", **more: Any) -> Run:
    names = [name for name in ("script", "commands") if name in more]
    options: dict[str, Any] = {name: more.pop(name) for name in names}
    pack = {"agent_graph": 1, "name": "team", "nodes": list(nodes), **more}
    files = {"team.agents.json": json.dumps(pack).encode(), ONE: b"old\n", TWO: b"x\n"}
    (made,) = packs.import_files(files, owner=None).packs
    return runs.start(made, driver=driver, options=options, owner=operator())


@sync_to_async
def seen(run: Run) -> tuple[Run, list[dict[str, Any]]]:
    events = RunEvent.objects.filter(run=run).order_by("n")
    return Run.objects.get(pk=run.pk), [{"type": one.type, **one.fields} for one in events]


async def played(worker: Worker, *nodes: dict[str, Any], **more: Any) -> tuple[Run, Any]:
    run = await sync_to_async(started)(*nodes, **more)
    async with asyncio.timeout(120):
        await worker.run_until_idle()
    return await seen(run)


def results(events: list[dict[str, Any]]) -> list[tuple[bool, str]]:
    calls = [one for one in events if one["type"] == "agent_graph.call"]
    return [(one["ok"], one.get("error", one["output"])) for one in calls]


async def test_files_are_written_in_the_runs_own_folder_and_the_turn_keeps_its_diff(
    worker: Worker, tmp_path: Path
) -> None:
    first = "\n".join(
        [
            call("read_file", path=ONE),
            call("write_file", path=ONE, content="new\n"),
            call("list_files"),
            call("delete_file", path=TWO),
            call("delete_file", path=TWO),
        ]
    )
    run, events = await played(worker, LEAD, **said(first, call("complete_run", summary="Done.")))
    assert (run.status, run.reason) == ("completed", "Done.")
    assert results(events)[:5] == [
        (True, "old\n"),
        (True, f"wrote {ONE}"),
        (
            True,
            '[{"name": "docs", "type": "dir"}, {"name": "team.agents.json", "type": "file"}]',
        ),
        (True, f"deleted {TWO}"),
        (True, f"deleted {TWO}"),
    ]
    folder = tmp_path / "workspaces" / str(run.pk)
    assert (folder / ONE).read_text() == "new\n"
    assert not (folder / TWO).exists()
    kept = await sync_to_async(lambda: Artifact.objects.get(run=run, name="diff/lead/1"))()
    assert kept.value == (
        f"--- a/{ONE}\n+++ b/{ONE}\n@@ -1 +1 @@\n-old\n+new\n"
        f"--- a/{TWO}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )


async def test_allowed_commands_run_and_their_diff_is_recorded(
    worker: Worker, settings: Any
) -> None:
    settings.SIGNALBOX_COMMANDS = True
    first = call("command", cmd="cat templates/two.md > y.md; echo made", cwd="docs")
    over = call("complete_run", summary="Done.")
    _, events = await played(worker, LEAD, commands=True, **said(first, over))
    assert results(events)[0] == (True, "made\n")
    (diff,) = [one["value"] for one in events if one["type"] == "artifact.set"]
    assert diff == "--- /dev/null\n+++ b/docs/y.md\n@@ -0,0 +1 @@\n+x\n"


async def test_a_message_reaches_an_agent_with_its_sender(worker: Worker) -> None:
    quiet = {"id": "a", "role": "helper", "instructions": "Begin."}
    run, _ = await played(
        worker, quiet, {"id": "b", "role": "helper"}, run_mode="INTERACTIVE",
        **said("Ready.", "Heard."),
    )  # fmt: skip
    assert run.status == "waiting"
    await sync_to_async(runs.signal)(run.pk, Tell(at=5.0, state="b", text="Hello!"), by="ann")
    async with asyncio.timeout(120):
        await worker.run_until_idle()
    run, events = await seen(run)
    assert run.status == "waiting"
    (told,) = [one for one in events if one["type"] == "run.told"]
    assert (told["state"], told["text"], told["by"]) == ("b", "Hello!", "ann")
    assert [e["text"] for e in events if e["type"] == "model.replied"] == ["Ready.", "Heard."]
    rows = await sync_to_async(
        lambda: list(Approval.objects.filter(run=run).order_by("asked_at", "pk"))
    )()
    assert [row.status for row in rows] == ["withdrawn", "open"]
    with pytest.raises(SignalRefused, match="No agent in 'ghost'"):
        await sync_to_async(runs.signal)(run.pk, Tell(at=6.0, state="ghost", text="Hello?"))


async def test_an_interruption_cancels_the_current_call(transactional_db: None) -> None:
    begun: asyncio.Queue[str] = asyncio.Queue()
    ended: list[str] = []

    async def perform(_: Log, effect: Effect) -> Signal | None:
        begun.put_nowait(effect.key)
        if effect.key != "0:1":
            return None
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(effect.key)
        return None

    working = Worker(perform=perform)
    await working.start()
    try:
        run = await sync_to_async(started)(LEAD, driver="manual")
        async with asyncio.timeout(120):
            assert await begun.get() == "0:1"
            word = Tell(at=5.0, state="lead", text="Stop!", interrupt=True)
            await sync_to_async(runs.signal)(run.pk, word)
            assert await begun.get() == "0:2"
            await working.run_until_idle()
    finally:
        await working.stop()
    assert ended == ["0:1"]
    _, events = await seen(run)
    (_, prompt) = [one for one in events if one["type"] == "prompt.logged"]
    assert "[user] (interrupt) Stop!\n- [user] (queue) Begin." in prompt["text"]


def test_unbound_tools_suggest_their_usual_binding() -> None:
    run = started(LEAD, driver="manual")
    usual = {one["tool"]: one["usual"] for one in tools_json(run.pack)}
    assert usual["delete_file"] == {"kind": "files", "settings": {"operation": "delete"}}
    assert set(usual) == {"command", "read_file", "write_file", "list_files", "delete_file"}
