"""Tools without a binding: file tools use the run's workspace, and forbidden calls are refused
without asking a person."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.dialects.promptpack.packs import pack as promptpack
from tests.dialects.stages.run.scripted_run import ENDS, markdown
from tests.dialects.steps_registry.test_tool_use import ANSWER, DONE, files
from tests.support.people import operator
from workflows.actions import packs, runs, tool_bindings
from workflows.core.prompts.modes import PLANNING
from workflows.models import Approval, Pack, Run
from workflows.runner.planning_mode import NOT_RUN
from workflows.runner.worker import Worker

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder", "commands"),
]

READ, WRITE = {"file_path": "notes.md"}, {"file_path": "notes.md", "content": "Bees."}
TEXT = {"type": "string"}


def stored(given: Mapping[str, bytes]) -> Pack:
    return packs.import_files(dict(given), owner=None).packs[0]


def stage_files(*allowed: str) -> dict[str, bytes]:
    pipeline = {
        "format": "signalbox.stud-pipeline/1",
        "entryStage": "a",
        "stages": {"a": {"file": "stages/a.md", "next": ENDS}},
    }
    return {
        "pipeline.json": json.dumps(pipeline).encode(),
        "stages/a.md": markdown("a", allowedTools=list(allowed), turnCap=9),
    }


def calling(*calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]


async def played(
    worker: Worker, given: Mapping[str, bytes], replies: list[Any], **options: Any
) -> Run:
    script = {"replies": replies, "repeat_last": True}

    def begun() -> Run:
        bound = options.pop("bound", {})
        pack = stored(given)
        for tool, binding in bound.items():
            tool_bindings.bind(pack, tool, **binding, author=operator())
        return runs.start(
            pack, driver="script", options={"script": script, **options}, owner=operator()
        )

    run = await sync_to_async(begun)()
    async with asyncio.timeout(120):
        await worker.run_until_idle()
    await run.arefresh_from_db()
    return run


async def fields(run: Run, type: str) -> list[dict[str, Any]]:
    return [event.fields async for event in run.events.filter(type=type).order_by("n")]


async def returned(run: Run) -> list[str]:
    return [one["result"] or one["error"] for one in await fields(run, "tool.returned")]


async def test_a_stage_writes_and_reads_the_workspace(worker: Worker) -> None:
    calls = calling(("Write", WRITE), ("Read", READ), ("Glob", {"pattern": "*.md"}), ("submit", {}))
    run = await played(worker, stage_files("Read", "Write", "Glob"), calls)
    assert run.status == "completed"
    assert await returned(run) == ["Wrote 5 characters to notes.md.", "Bees.", "notes.md"]


async def test_a_climpt_step_works_in_the_workspace(worker: Worker) -> None:
    replies = [
        *calling(("Write", WRITE), ("Bash", {"command": "cat notes.md"})),
        {"structured": ANSWER},
        *calling(("Write", WRITE), ("Read", READ)),
        {"structured": ANSWER},
        {"structured": DONE},
    ]
    given = files({"allowedTools": ["Read", "Write", "Bash"]})
    run = await played(worker, given, replies, commands=True)
    assert run.status == "completed"
    assert await returned(run) == ["Wrote 5 characters to notes.md.", "Bees.", "Bees."]
    outcomes = [(one["name"], one["as"]) for one in await fields(run, "steps_registry.tool")]
    assert outcomes == [
        ("Write", "returned"),
        ("Bash", "returned"),
        ("Write", "refused"),
        ("Read", "returned"),
    ]


async def test_a_declared_tool_of_a_promptpack_is_bound_by_its_name(worker: Worker) -> None:
    parameters = {"type": "object", "properties": {"path": TEXT}, "required": ["path"]}
    tool = {"name": "read_file", "description": "Reads.", "parameters": parameters}
    body = promptpack({"tools": {"read_file": tool}})
    for prompt in body["prompts"].values():
        prompt["tools"] = ["read_file"]
    calls = calling(("read_file", {"path": "a.pack.json"}), ("read_file", {"path": "ghost"}))
    given = {"a.pack.json": json.dumps(body).encode()}
    run = await played(worker, given, calls, budget={"model_calls": 3})
    told = await returned(run)
    assert json.loads(told[0]) == body
    assert told[1] == "There is no file “ghost”."


async def test_a_binding_that_asks_refuses_first_in_planning(worker: Worker) -> None:
    bound = {"bash": {"kind": "command", "settings": {"ask": True}}}
    calls = calling(("bash", {"command": "ls"}), ("submit", {}))
    run = await played(
        worker, stage_files("bash"), calls, mode=PLANNING, commands=True, bound=bound
    )
    assert await returned(run) == [NOT_RUN]
    assert not await Approval.objects.aexists()


async def test_an_unlisted_call_is_refused_in_planning_without_asking(worker: Worker) -> None:
    calls = calling(("bash", {"command": "ls"}), ("submit", {}))
    run = await played(worker, stage_files("read"), calls, mode=PLANNING, commands=True)
    assert run.status == "completed"
    (denied,) = await fields(run, "approval.given")
    assert (denied["approve"], denied["text"]) == (False, NOT_RUN)
    assert "by" not in denied
