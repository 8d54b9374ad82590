"""Every request to a model is recorded as the server received it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.runner.conftest import Begin
from tests.support.model_server import ErrorReply, ModelServer, RawReply, TextReply
from workflows.actions import connections, runs
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.replay.recording import recorded_answer
from workflows.core.engine.signals import Control, Reply
from workflows.models import RunEvent
from workflows.runner.drivers.models import DRIVER
from workflows.runner.models.retries import RetryPolicy
from workflows.runner.worker import Worker

pytestmark = pytest.mark.django_db(transaction=True)

LOOP = {"start": {"model": {"stay": "start", "on": "done"}}, "done": {"end": "completed"}}
MODELS = {
    "openai": "gpt-4o",
    "anthropic": "claude-opus-4-8",
    "google": "gemini-3.8-flash",
    "compatible": "qwen-local",
}
KEY = "sk-not-to-be-seen"
ON = TextReply(structured={"go": "on", "why": "it is time"})
STAY = TextReply(structured={"go": "stay", "why": "not yet"})


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(DRIVER, "policy", RetryPolicy(tries=2, first=0.001, answer=20.0))
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]


def connect(server: ModelServer, kind: str) -> None:
    connections.create(
        name="mine", kind=kind, base_url=server.url(kind), model=MODELS[kind], key=KEY
    )


async def logged(run_id: str) -> list[Event]:
    return [
        Event(n=row.n, at=row.at, type=row.type, fields=row.fields)
        async for row in RunEvent.objects.filter(run_id=run_id).order_by("n")
    ]


def bodies(sent: list[Mapping[str, Any]]) -> list[Any]:
    """The body of each request: one without a body had the same as the request before it."""
    found: list[Any] = []
    for one in sent:
        found.append(one["body"] if "body" in one else found[-1])
    return found


@pytest.mark.parametrize("kind", MODELS)
async def test_every_request_is_recorded_as_the_server_received_it(
    begin: Begin, worker: Worker, server: ModelServer, kind: str
) -> None:
    await sync_to_async(connect)(server, kind)
    server.will(STAY, ErrorReply(status=500), STAY, ON)
    run = await sync_to_async(begin)(LOOP, "model")
    await worker.run_until_idle()
    events = await logged(run.pk)
    replies = [event for event in events if event.type == "model.replied"]
    sent = [one for reply in replies for one in reply.fields["sent"]]
    assert bodies(sent) == [asked.body for asked in server.asked]
    assert [one.get("status") for one in sent] == [200, 500, 200, 200]
    assert ["body" in one for one in sent] == [True, True, False, True]
    assert ["error" in one for one in sent] == [False, True, False, False]
    assert all(one["url"].startswith(server.host) and "?" not in one["url"] for one in sent)
    distinct = {json.dumps(body) for body in bodies(sent)}
    assert len({one["hash"] for one in sent}) == len(distinct)
    assert KEY not in json.dumps([event.to_json() for event in events])
    answer = recorded_answer(replies[1])
    assert isinstance(answer, Reply)
    assert list(answer.sent) == replies[1].fields["sent"]


async def test_the_requests_that_failed_are_recorded_with_the_pause(
    begin: Begin, worker: Worker, server: ModelServer
) -> None:
    await sync_to_async(connect)(server, "openai")
    server.will(ErrorReply(status=500), RawReply(body=b"{nope"), ON)
    run = await sync_to_async(begin)(LOOP, "model")
    await worker.run_until_idle()
    paused = (await logged(run.pk))[-1]
    assert paused.type == "run.paused"
    assert [one["error"] for one in paused.fields["sent"]]
    assert bodies(paused.fields["sent"]) == [asked.body for asked in server.asked]
    await sync_to_async(runs.signal)(run.pk, Control(at=1.0, what="resume"))
    await worker.run_until_idle()
    events = await logged(run.pk)
    assert events[-1].fields["status"] == "completed"
    (replied,) = [event for event in events if event.type == "model.replied"]
    assert bodies(replied.fields["sent"]) == [server.asked[-1].body]
    bare = [Event(n=one.n, at=one.at, type=one.type, fields=_without(one.fields)) for one in events]
    assert fold_all(bare) == fold_all(events), "older logs fold to the same run"


def _without(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "sent"}
