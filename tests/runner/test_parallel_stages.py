"""A pipeline of stages on a worker: siblings are under way together, and one can end the others."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from workflows.actions import runs
from workflows.actions.packs import create_from_sample
from workflows.actions.run_log import Log
from workflows.core.engine.effects import Effect
from workflows.core.engine.signals import Reply, Signal, ToolCall
from workflows.models import Run, RunEvent
from workflows.runner.worker import Worker

pytestmark = pytest.mark.django_db(transaction=True)

GOOD: dict[str, Any] = {
    "plan": {
        "summary": "s",
        "steps": [{"title": "t", "files": ["f"]}],
        "riskLevel": "low",
    },
    "implement": {"branch": "b", "filesChanged": ["f"], "testsPassed": True},
    "review-security": {"approved": True, "findings": []},
    "review-tests": {"approved": True, "gaps": []},
    "review-verdict": {"approved": True, "feedback": ""},
    "handoff": {"title": "t", "body": "b"},
}
SIBLINGS = {"review-security", "review-tests"}


def begin() -> Run:
    pack = create_from_sample("stages/feature-delivery", owner=None)
    return runs.start(pack, driver="manual", options={"inputs": {"task": "Count bees"}})


def answer(effect: Effect, at: float) -> Reply:
    call = ToolCall(name=effect.answer_tool, arguments=GOOD[effect.state])  # type: ignore[union-attr]
    return Reply(at=at, key=effect.key, tool_calls=(call,))


async def played(run: Run, perform: Any) -> list[dict[str, Any]]:
    """The log of the whole run, as the worker with this `perform` made it."""
    worker = Worker(perform=perform)
    await worker.start()
    try:
        async with asyncio.timeout(120):
            await worker.run_until_idle()
    finally:
        await worker.stop()
    rows = RunEvent.objects.filter(run=run).order_by("n")
    return [{"type": row.type, **json.loads(json.dumps(row.fields))} async for row in rows]


async def test_siblings_run_concurrently() -> None:
    run = await sync_to_async(begin)()
    together = asyncio.Barrier(2)

    async def perform(log: Log, effect: Effect) -> Signal:
        if effect.state in SIBLINGS:
            await together.wait()
        return answer(effect, time.time())

    log = await played(run, perform)
    ended = await Run.objects.aget(pk=run.pk)
    assert ended.status == "completed", ended.reason
    bodies = [event["text"] for event in log if event["type"] == "prompt.logged"]
    assert f"`signal/{run.pk}`" in bodies[1]


async def test_a_failed_sibling_cancels_the_other() -> None:
    run = await sync_to_async(begin)()
    asked, dropped = asyncio.Event(), asyncio.Event()

    async def perform(log: Log, effect: Effect) -> Signal:
        if effect.state == "review-tests":
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                dropped.set()
        if effect.state == "review-security":
            await asked.wait()
            return Reply(at=time.time(), key=effect.key, error="The line is dead.")
        return answer(effect, time.time())

    log = await played(run, perform)
    ended = await Run.objects.aget(pk=run.pk)
    assert (ended.status, dropped.is_set()) == ("failed", True)
    assert "'review-security' did not succeed" in ended.reason
    gone = [event["stageId"] for event in log if event["type"] == "stages.cancelled"]
    assert gone == ["review-tests"]
