"""A real model answers: over HTTP, from a server that also misbehaves."""

from __future__ import annotations

import asyncio
import json
import logging
import platform
import time
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.runner.conftest import Begin
from tests.support.checks import crossed
from tests.support.model_server import (
    CutOffReply,
    ErrorReply,
    ModelServer,
    NoReply,
    RawReply,
    TextReply,
)
from tests.support.workers import until_idle
from workflows.actions import connections, runs
from workflows.actions.model_choices import choose
from workflows.core.engine.signals import Approve, Control, Reply
from workflows.errors import SignalRefused
from workflows.models import Connection, Job, Run, RunEvent
from workflows.notifications import bus
from workflows.runner.drivers.models import DRIVER
from workflows.runner.models.retries import RetryPolicy
from workflows.runner.worker import Worker

pytestmark = pytest.mark.django_db(transaction=True)

ONE = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}
END = {"done": {"end": "completed"}}
LOOP = {"start": {"model": {"stay": "start", "on": "done"}}, "done": {"end": "completed"}}
MODELS = {
    "openai": "gpt-4o",
    "anthropic": "claude-opus-4-8",
    "google": "gemini-3.8-flash",
    "compatible": "qwen-local",
}
KINDS = tuple(MODELS)
KEY = "sk-not-to-be-seen"
ON = TextReply(structured={"go": "on", "why": "it is time"})
STAY = TextReply(structured={"go": "stay", "why": "not yet"})


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(DRIVER, "policy", RetryPolicy(tries=3, first=0.001, answer=20.0))
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]


@pytest.fixture
def start(begin: Begin, server: ModelServer) -> Callable[..., Any]:
    """Start a run whose model is the server, over a connection of this kind."""

    def begun(table: Any, kind: str = "openai", **options: Any) -> Run:
        if not Connection.objects.exists():
            connect(server, kind)
        return begin(table, driver="model", **options)

    return sync_to_async(begun)


def connect(server: ModelServer, kind: str) -> Connection:
    address = server.url(kind)
    return connections.create(name="Mine", kind=kind, base_url=address, model=MODELS[kind], key=KEY)


async def signal(run: Run, what: Any) -> Any:
    return await sync_to_async(runs.signal)(run.pk, what)


async def log(run: Run) -> list[RunEvent]:
    return [row async for row in RunEvent.objects.filter(run=run).order_by("n")]


async def status(run: Run) -> str:
    return (await Run.objects.aget(pk=run.pk)).status


async def said(run: Run, type: str) -> list[dict[str, Any]]:
    return [row.fields for row in await log(run) if row.type == type]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_run_with_structured_answers_completes(
    start: Any, worker: Worker, server: ModelServer, kind: str
) -> None:
    server.will(STAY, ON)
    run = await start(LOOP, kind)
    await until_idle(worker)
    assert await status(run) == "completed"
    replies = await said(run, "model.replied")
    assert [reply["structured"]["go"] for reply in replies] == ["stay", "on"]
    assert {(reply["provider"], reply["model"]) for reply in replies} == {(kind, MODELS[kind])}
    assert {reply["response_model"] for reply in replies} == {MODELS[kind]}
    assert {reply["finish_reason"] for reply in replies} <= {"stop", "tool_call"}
    usage = replies[0]["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (11, 7)
    assert (usage["cost"] > 0) == (kind != "compatible")
    assert [asked.model for asked in server.asked] == [MODELS[kind]] * 2
    assert all(asked.streams for asked in server.asked)


async def test_deltas_are_published_as_they_arrive(
    start: Any, worker: Worker, server: ModelServer
) -> None:
    heard: list[str] = []
    stop = bus.subscribe(
        lambda ring: heard.append(ring.text) if isinstance(ring, bus.DeltaSent) else None
    )
    server.will(ON)
    await start(ONE)
    await until_idle(worker)
    stop()
    assert len(heard) > 1
    assert json.loads("".join(heard)) == ON.structured


MISBEHAVIOURS = {
    "too many requests": (
        ErrorReply(status=429, message="Slow down."),
        "reached its rate limit: status",
    ),
    "overloaded": (ErrorReply(status=529, kind="overloaded_error"), "overloaded or down"),
    "its own mistake": (ErrorReply(status=500), "failed: status 500"),
    "cut off": (CutOffReply(says=ON, pieces=3), "closed the connection in the middle"),
    "cut off politely": (
        CutOffReply(says=ON, pieces=4, politely=True),
        "closed the connection in the middle",
    ),
    "no JSON": (RawReply(body=b"{nope"), "returned an invalid answer"),
    "no JSON in the stream": (
        RawReply(body=b"event: x\ndata: {nope\n\n", type="text/event-stream"),
        "returned an invalid answer",
    ),
    "another shape": (RawReply(body=b'{"hello": 1}'), "returned an invalid answer"),
    "a page": (
        RawReply(body=b"<html>Sign in</html>", type="text/html"),
        "returned an invalid answer",
    ),
}


@pytest.mark.parametrize(
    ("kind", "misbehaviour"), crossed(["openai", "anthropic", "google"], MISBEHAVIOURS)
)
async def test_a_fault_pauses_the_run_until_it_is_resumed(
    start: Any, worker: Worker, server: ModelServer, kind: str, misbehaviour: str
) -> None:
    answer, sentence = MISBEHAVIOURS[misbehaviour]
    server.will(answer, answer, answer, ON)
    run = await start(ONE, kind)
    await until_idle(worker)
    assert await status(run) == "paused"
    (pause,) = await said(run, "run.paused")
    assert sentence in pause["reason"]
    assert "“Mine”" in pause["reason"]
    assert "tried 3 times" in pause["reason"]
    assert (await Run.objects.aget(pk=run.pk)).reason == pause["reason"]
    assert not await Job.objects.aexists()
    await signal(run, Control(at=time.time(), what="resume"))
    await until_idle(worker)
    assert await status(run) == "completed"
    assert len(await said(run, "model.asked")) == 1


@pytest.mark.parametrize("misbehaviour", MISBEHAVIOURS)
async def test_a_temporary_fault_is_retried(
    start: Any, worker: Worker, server: ModelServer, misbehaviour: str
) -> None:
    answer, _ = MISBEHAVIOURS[misbehaviour]
    server.will(answer, ON)
    run = await start(ONE)
    await until_idle(worker)
    assert await status(run) == "completed"
    assert len(server.asked) == 2


FOR_PEOPLE = {
    "a wrong key": (ErrorReply(status=401, message=f"Bad key {KEY}."), "rejected its key"),
    "no such model": (ErrorReply(status=404), "has no model 'gpt-4o'"),
    "no credit": (ErrorReply(status=402), "no quota or credit left"),
    "to wait for ever": (ErrorReply(status=429, retry_after="3600"), "reached its rate limit"),
}


@pytest.mark.parametrize("trouble", FOR_PEOPLE)
async def test_a_fault_that_needs_a_person_is_not_retried(
    start: Any, worker: Worker, server: ModelServer, trouble: str
) -> None:
    answer, sentence = FOR_PEOPLE[trouble]
    server.will(answer, ON)
    run = await start(ONE)
    await until_idle(worker)
    (pause,) = await said(run, "run.paused")
    assert sentence in pause["reason"]
    assert KEY not in pause["reason"]
    assert len(server.asked) == 1
    await signal(run, Control(at=time.time(), what="resume"))
    await until_idle(worker)
    assert await status(run) == "completed"


async def test_a_rejected_request_is_an_answer_with_an_error(
    start: Any, worker: Worker, server: ModelServer
) -> None:
    server.will(ErrorReply(status=400, message="No such parameter."))
    run = await start(ONE)
    await until_idle(worker)
    (reply,) = await said(run, "model.replied")
    assert reply["error"].startswith("The connection “Mine” rejected the request")
    assert "No such parameter" in reply["error"]
    assert await status(run) == "failed"


async def test_the_providers_retry_after_is_respected(
    start: Any, worker: Worker, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DRIVER, "policy", RetryPolicy(first=900.0))
    server.will(ErrorReply(status=429, retry_after="0"), ON)
    run = await start(ONE)
    await until_idle(worker)
    assert await status(run) == "completed"


async def test_a_response_timeout_pauses_the_run(
    start: Any, worker: Worker, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DRIVER, "policy", RetryPolicy(answer=0.2))
    server.will(NoReply(), ON)
    run = await start(ONE)
    await until_idle(worker)
    (pause,) = await said(run, "run.paused")
    assert "did not answer within 0.2 seconds" in pause["reason"]


@pytest.mark.parametrize("pieces", [0, 3])
async def test_a_connection_sets_its_own_time_limit(
    start: Any, worker: Worker, server: ModelServer, pieces: int
) -> None:
    server.will(NoReply(pieces=pieces), ON)
    mine = await sync_to_async(connect)(server, "compatible")
    await Connection.objects.filter(pk=mine.pk).aupdate(timeout=0.2)
    run = await start(ONE)
    await until_idle(worker)
    (pause,) = await said(run, "run.paused")
    assert "“Mine” did not answer within 0.2 seconds" in pause["reason"]
    assert await asyncio.to_thread(server.hung_up.get, timeout=120)
    await Connection.objects.filter(pk=mine.pk).aupdate(timeout=None)
    await signal(run, Control(at=time.time(), what="resume"))
    await until_idle(worker)
    assert await status(run) == "completed"


@pytest.mark.parametrize(("kind", "pieces"), crossed(["openai", "anthropic", "google"], [0, 3]))
async def test_cancelling_closes_the_connection(
    start: Any, worker: Worker, server: ModelServer, kind: str, pieces: int
) -> None:
    server.will(NoReply(pieces=pieces))
    run = await start(ONE, kind)
    asked = await asyncio.to_thread(server.arrived.get, timeout=120)
    await signal(run, Control(at=time.time(), what="cancel"))
    assert await asyncio.to_thread(server.hung_up.get, timeout=120) == asked
    assert await status(run) == "cancelled"


@pytest.mark.parametrize("answer", ["yes", "no", "a reply"])
async def test_a_person_cannot_answer_a_call_in_progress(
    start: Any, worker: Worker, server: ModelServer, answer: str
) -> None:
    server.will(NoReply(pieces=3))
    run = await start(ONE)
    await asyncio.to_thread(server.arrived.get, timeout=120)
    said: Any = Approve(at=time.time(), key="0:1", approve=answer == "yes", text="no")
    if answer == "a reply":
        said = Reply(at=time.time(), key="0:1", structured={"go": "on"})
    with pytest.raises(SignalRefused, match="'0:1' is not left to a person"):
        await signal(run, said)
    assert await status(run) == "running"
    assert "model.replied" not in [row.type for row in await log(run)]


async def test_an_unreachable_server_pauses_the_run(start: Any, worker: Worker) -> None:
    with ModelServer() as gone:
        pass
    await sync_to_async(connect)(gone, "openai")
    run = await start(ONE)
    await until_idle(worker)
    (pause,) = await said(run, "run.paused")
    assert pause["reason"].startswith("The connection “Mine” cannot be reached.")


async def test_a_host_that_becomes_private_is_refused(
    start: Any, worker: Worker, server: ModelServer, settings: Any
) -> None:
    server.will(ON)
    await sync_to_async(connect)(server, "openai")
    settings.SIGNALBOX_PRIVATE_HOSTS = []
    run = await start(ONE)
    await until_idle(worker)
    (pause,) = await said(run, "run.paused")
    assert "127.0.0.1 is a private address" in pause["reason"]
    assert server.asked == []


async def test_a_person_can_answer_for_an_unavailable_model(
    start: Any, worker: Worker, server: ModelServer
) -> None:
    server.will(ErrorReply(status=401))
    run = await start(ONE)
    await until_idle(worker)
    await signal(run, Approve(at=time.time(), structured={"go": "on"}))
    await signal(run, Control(at=time.time(), what="resume"))
    await until_idle(worker)
    assert await status(run) == "completed"
    assert len(server.asked) == 1


async def test_two_runs_use_their_own_models(
    start: Any, worker: Worker, server: ModelServer
) -> None:
    server.otherwise = ON
    await start(ONE)
    await start(ONE, model="gpt-4o-mini", connection="Mine")
    await until_idle(worker)
    assert {asked.model for asked in server.asked} == {"gpt-4o", "gpt-4o-mini"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"connection": "Other"}, "There is no connection 'Other'"),
        ({}, "No connection is this server's default"),
    ],
    ids=["unknown", "unsaid"],
)
async def test_a_run_that_names_no_connection_pauses(
    start: Any, worker: Worker, server: ModelServer, options: Any, sentence: str
) -> None:
    await sync_to_async(connect)(server, "openai")
    more = {"name": "More", "kind": "openai", "key": "k", "model": "m"}
    await sync_to_async(connections.create)(**more)
    run = await start(ONE, **options)
    await until_idle(worker)
    (pause,) = await said(run, "run.paused")
    assert pause["reason"].startswith(sentence)


@pytest.mark.parametrize(
    ("budget", "reason"),
    [({"tokens": 20}, "max_tokens 36"), ({"cost": 0.0001}, "max_cost")],
    ids=["tokens", "cost"],
)
async def test_a_spent_budget_stops_the_next_request(
    start: Any, worker: Worker, server: ModelServer, budget: Any, reason: str
) -> None:
    server.otherwise = STAY
    run = await start(LOOP, budget=budget)
    await until_idle(worker)
    ended = await Run.objects.aget(pk=run.pk)
    assert ended.status == "budget_exhausted"
    assert ended.reason.startswith(reason)
    assert len(server.asked) == 2


async def test_requests_contain_nothing_about_this_machine(
    start: Any, worker: Worker, server: ModelServer
) -> None:
    server.will(ON)
    await start(ONE)
    await until_idle(worker)
    (asked,) = server.asked
    assert not [name for name in asked.headers if name.startswith("x-stainless")]
    assert not any(platform.python_version() in value for value in asked.headers.values())


async def test_the_key_is_only_in_the_request(
    start: Any, worker: Worker, server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = ErrorReply(status=500, message=f"You sent {KEY}.")
    server.will(echo, echo, echo, ON)
    run = await start(ONE)
    await until_idle(worker)
    await signal(run, Control(at=time.time(), what="resume"))
    await until_idle(worker)
    assert KEY in server.asked[0].headers["authorization"]
    assert KEY not in json.dumps([row.fields for row in await log(run)])
    assert KEY not in caplog.text
    assert KEY not in (await Connection.objects.aget()).sealed_key


async def test_a_state_and_a_pack_choose_the_model(
    start: Any, worker: Worker, server: ModelServer
) -> None:
    server.otherwise = ON
    await sync_to_async(connect)(server, "openai")
    more = {"name": "More", "kind": "anthropic", "key": KEY, "base_url": server.url("anthropic")}
    await sync_to_async(connections.create)(**more)
    two = {"start": {"model": {"on": "last"}}, "last": {"model": {"on": "done"}}, **END}
    run = await start(two, paused=True)
    for state, connection, model in (("", "Mine", ""), ("last", "More", "claude-opus-4-8")):
        chosen = {"connection": connection, "model": model}
        await sync_to_async(choose)(run.pack, state, **chosen)
    await signal(run, Control(at=time.time(), what="resume"))
    await until_idle(worker)
    assert await status(run) == "completed"
    asked = [(reply["provider"], reply["model"]) for reply in await said(run, "model.replied")]
    assert asked == [("openai", "gpt-4o"), ("anthropic", "claude-opus-4-8")]
