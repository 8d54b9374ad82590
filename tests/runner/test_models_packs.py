"""Samples run to their end over every provider's protocol, with people for everything else.

The server answers in a model's stead what a rehearsal would: tools, answers in a schema, text.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from tests.support.checks import quick_or_slow
from tests.support.model_server import Answer, ErrorReply, ModelRequest, ModelServer, TextReply
from workflows.actions import connections, runs
from workflows.actions.run_programs import program_of
from workflows.actions.samples import load_samples
from workflows.core.dialects import dialects
from workflows.core.engine.effects import AskModel, Effect
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.rehearsal.answers import answer_for, choose, reply_for
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import FINISHED
from workflows.models import Run, RunEvent
from workflows.runner.worker import worker as running_worker
from workflows.selectors.sources import view

pytestmark = pytest.mark.django_db(transaction=True)

MODELS = {"openai": "gpt-4o", "anthropic": "claude-opus-4-6", "google": "gemini-3.8-flash"}


def begin_some(first: int, step: int) -> None:
    dialects().pop("tiny", None)
    for pack in load_samples()[first::step]:
        shape = Run(pack=pack, revision=pack.head, profile=pack.profile)
        inputs = simulated_inputs(program_of(shape))
        runs.start(pack, driver="model", options={"inputs": inputs})


def choice_of(row: Run, effect: Effect) -> Any:
    folded = runs.work_of(row.pk).run
    graph = view(row.pack, row.revision, row.profile).graph
    return choose(effect, folded, graph, Rng(1, effect.key))


def as_a_model(asked: ModelRequest) -> Answer:
    """The answer of a rehearsal to the pending question of this request."""
    body = json.dumps(asked.body, ensure_ascii=False)
    try:
        for row in Run.objects.exclude(status__in=FINISHED).select_related("pack"):
            for effect in pending_effects(runs.work_of(row.pk).run):
                if isinstance(effect, AskModel) and _asks(effect, body):
                    reply = reply_for(effect, choice_of(row, effect), 1, 0.0)
                    calls = tuple((call.name, call.arguments) for call in reply.tool_calls)
                    structured = reply.structured
                    return TextReply(text=reply.text, structured=structured, tool_calls=calls)
    finally:
        connection.close()
    return ErrorReply(status=400, message="Nobody asked this.")


def _asks(effect: AskModel, body: str) -> bool:
    words = [effect.system, *(turn.text for turn in effect.messages[-1:])]
    return all(json.dumps(text, ensure_ascii=False) in body for text in words if text)


def answer_the_rest() -> bool:
    """Answer the waiting tools, commands and approvals. False when all runs have ended."""
    open_runs = list(Run.objects.exclude(status__in=FINISHED).select_related("pack"))
    for row in open_runs:
        assert row.status != "paused", RunEvent.objects.filter(run=row).latest("n").fields
        for effect in pending_effects(runs.work_of(row.pk).run):
            if not isinstance(effect, AskModel):
                choice, now = choice_of(row, effect), time.time()
                runs.deliver(row.pk, answer_for(effect, choice, seed=1, at=now, good=True))
    return bool(open_runs)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("step", quick_or_slow(2 * len(MODELS), 1))
async def test_samples_run_over_this_protocol(kind: str, step: int, settings: Any) -> None:
    """Every sample, or every second one over one of the protocols."""
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]
    with ModelServer(otherwise=as_a_model, keeps_schemas=True) as server:
        address = {"base_url": server.url(kind), "model": MODELS[kind], "key": "k"}
        await sync_to_async(connections.create)(name="Mine", kind=kind, **address)
        await sync_to_async(begin_some)(list(MODELS).index(kind) % step, step)
        async with running_worker() as worker:
            async with asyncio.timeout(120):
                await worker.run_until_idle()
                while await sync_to_async(answer_the_rest)():
                    await worker.run_until_idle()
    ended = [run async for run in Run.objects.select_related("pack")]
    for run in ended:
        assert run.status in ("completed", "budget_exhausted"), (run.pack.name, run.reason)
    replies = RunEvent.objects.filter(type="model.replied")
    said = [fields async for fields in replies.values_list("fields", flat=True)]
    assert [fields["error"] for fields in said if fields["error"]] == []
    if step == 1:
        assert any(fields["tool_calls"] for fields in said)
        assert any(fields["structured"] for fields in said)
    assert all(fields["usage"]["cost"] > 0 for fields in said)
