"""Event streams over HTTP: following and starting runs, refusals, limits, and their end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tests.plugins.ag_ui.client import Sent, body, events_in
from tests.plugins.ag_ui.verifier import check_stream
from workflows.actions import runs
from workflows.actions.packs import create_from_sample
from workflows.actions.tokens import make_token
from workflows.core.engine import signals
from workflows.live import session_guard
from workflows.models import Pack, Run, Token
from workflows.notifications.partial_output import publish_partial_output
from workflows.plugins.ag_ui import places, stream

pytestmark = pytest.mark.django_db(transaction=True)
STATES = "promptpack/customer-support"


@pytest.fixture
def support(ada: User) -> Pack:
    return create_from_sample(STATES, owner=ada)


@pytest.fixture
def run(support: Pack, ada: User) -> Run:
    return runs.start(support, driver="manual", options={"inputs": {"topic": "tea"}}, owner=ada)


async def first_events(answer: Any, count: int) -> list[Sent]:
    """The first events of a live stream."""
    found: list[Sent] = []
    async for one in events_in(answer.streaming_content):
        found.append(one)
        if len(found) == count:
            break
    return found


async def rest_of(answer: Any) -> list[Sent]:
    """All events until the stream ends."""
    return [one async for one in events_in(answer.streaming_content)]


def cancel(run: Run) -> None:
    runs.signal(run.pk, signals.Control(at=1.0, what="cancel"))


async def test_a_run_is_followed_live_to_its_end(site: Client, run: Run, hubs: None) -> None:
    answer = await sync_to_async(site.get)(f"/api/v1/runs/{run.pk}/ag-ui/")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
    sent = events_in(answer.streaming_content)
    begun = [await anext(sent), await anext(sent)]
    assert [one.data["type"] for one in begun] == ["RUN_STARTED", "STATE_SNAPSHOT"]
    assert begun[0].data["runId"] == begun[0].data["threadId"] == str(run.pk)
    await sync_to_async(cancel)(run)
    rest = [one async for one in sent]
    check_stream([one.data for one in (*begun, *rest)])
    assert rest[-1].data["outcome"] == {"type": "cancelled"}


async def test_an_answer_is_streamed_while_a_model_writes_it(
    site: Client, run: Run, hubs: None
) -> None:
    key = next(iter((await sync_to_async(runs.work_of)(run.pk)).run.pending))
    answer = await sync_to_async(site.get)(f"/api/v1/runs/{run.pk}/ag-ui/")
    parts = answer.streaming_content
    sent = events_in(parts)

    async def text_of(type: str) -> str:
        async for one in sent:
            if one.data["type"] == type:
                return str(one.data.get("delta", ""))
        raise AssertionError(f"the stream ended without {type}")

    async with asyncio.timeout(10):
        with publish_partial_output(run.pk, key) as publish:
            await publish("Tea is")
            assert await text_of("TEXT_MESSAGE_CONTENT") == "Tea is"
        reply = signals.Reply(at=1.0, key=key, text="Tea is ready.")
        await sync_to_async(runs.signal)(run.pk, reply)
        assert await text_of("TEXT_MESSAGE_CONTENT") == " ready."
        await text_of("TEXT_MESSAGE_END")
    await parts.aclose()


async def test_a_stream_continues_after_the_last_event_of_the_client(
    site: Client, run: Run, hubs: None
) -> None:
    await sync_to_async(cancel)(run)
    path = f"/api/v1/runs/{run.pk}/ag-ui/"
    whole = await rest_of(await sync_to_async(site.get)(path))
    for n, one in enumerate(whole[:-1]):
        again = await sync_to_async(site.get)(path, headers={"Last-Event-ID": one.id})
        by_query = await sync_to_async(site.get)(path, {"after": one.id})
        assert await rest_of(again) == await rest_of(by_query) == whole[n + 1 :]
    over = await sync_to_async(site.get)(path, headers={"Last-Event-ID": whole[-1].id})
    assert over.status_code == 204


async def test_a_run_is_started_with_the_last_message_of_the_user(
    post: Any, support: Pack, hubs: None
) -> None:
    answer = await sync_to_async(post)(f"packs/{support.pk}/ag-ui/", body("Where is my tea?"))
    assert answer.status_code == 200
    started, *_ = await first_events(answer, 2)
    assert (started.data["threadId"], started.data["runId"]) == ("thread-1", "run-1")
    row = await Run.objects.aget()
    assert started.data["metadata"]["signalbox"]["run"] == str(row.pk)
    assert row.options["started_by"] == "chat"
    assert row.options["inputs"]["chat.message"] == "Where is my tea?"
    again = await sync_to_async(post)(f"packs/{support.pk}/ag-ui/", body("Where is my tea?"))
    assert (await first_events(again, 1))[0] == started
    other = await sync_to_async(post)(f"packs/{support.pk}/ag-ui/", body("Something else"))
    assert (other.status_code, await Run.objects.acount()) == (422, 1)
    assert other.json()["where"] == "runId"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "image"}]}]}, "messages"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages"),
        ({"messages": "x"}, "messages"),
        ({"threadId": ""}, "threadId"),
        ({"runId": "x" * 191}, "runId"),
        ({"resume": [{"interruptId": "x"}]}, "resume/0/status"),
        ({"resume": [{"interruptId": "x", "status": "resolved"}]}, "resume.interruptId"),
        ({"forwardedProps": {"driver": "nobody"}}, "driver"),
        ({"forwardedProps": {"driver": "manual", "input": 7}}, "forwardedProps.input"),
        ({"forwardedProps": {"driver": "manual", "budget": {"x": "y"}}}, ""),
        ({"forwardedProps": 7}, "forwardedProps"),
    ],
)
def test_a_wrong_body_is_refused_and_starts_nothing(
    post: Any, support: Pack, ada: User, change: dict[str, Any], where: str
) -> None:
    answer = post(f"packs/{support.pk}/ag-ui/", {**body(), **change})
    assert 400 <= answer.status_code < 500
    assert answer["Content-Type"] == "application/json"
    assert (answer.json()["where"], answer.json()["message"][-1:]) == (where, ".")
    assert not Run.objects.exists()
    assert places.open_streams(ada.pk) == 0


@pytest.mark.parametrize("after", ["x", "-1", "1+2", "9" * 30])
def test_an_unknown_place_is_refused(site: Client, run: Run, after: str) -> None:
    answer = site.get(f"/api/v1/runs/{run.pk}/ag-ui/", headers={"Last-Event-ID": after})
    assert (answer.status_code, answer.json()["where"]) == (400, "Last-Event-ID")


def test_a_request_for_the_headers_ends_at_once(site: Client, run: Run, ada: User) -> None:
    answer = site.head(f"/api/v1/runs/{run.pk}/ag-ui/")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
    assert not answer.streaming
    assert places.open_streams(ada.pk) == 0


def test_a_client_that_accepts_streams_only_gets_errors_as_json(site: Client, run: Run) -> None:
    accepted = {"Accept": "text/event-stream"}
    answer = site.get(f"/api/v1/runs/{run.pk}/ag-ui/?after=x", headers=accepted)
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/json")


def test_a_user_has_a_limited_number_of_streams(
    site: Client, run: Run, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "MAX_PER_USER", 2)
    path = f"/api/v1/runs/{run.pk}/ag-ui/"
    opened = [site.get(path) for _ in range(2)]
    refused = site.get(path)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
    opened[0].close()
    opened[0].close()
    assert places.open_streams(ada.pk) == 1
    opened += [site.get(path)]
    assert [one.status_code for one in opened] == [200] * 3
    for one in opened:
        one.close()
    assert places.open_streams(ada.pk) == 0


def sign_out(user: User) -> None:
    Session.objects.all().delete()


def deactivate(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def lose_the_run(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_staff=False)
    eve = User.objects.create_user("eve")
    Pack.objects.update(owner=eve)
    Run.objects.update(owner=eve)


@pytest.mark.parametrize("how", [sign_out, deactivate, lose_the_run])
async def test_a_stream_ends_with_the_session_or_the_right(
    site: Client,
    run: Run,
    ada: User,
    hubs: None,
    how: Callable[[User], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_guard, "PERIOD", 0.05)
    answer = await sync_to_async(site.get)(f"/api/v1/runs/{run.pk}/ag-ui/")
    frames = answer.streaming_content
    await anext(frames)
    await sync_to_async(how)(ada)
    async with asyncio.timeout(5):
        assert not any([b"RUN_FINISHED" in part async for part in frames])
    assert places.open_streams(ada.pk) == 0


def revoke(token: Token) -> None:
    token.delete()


def expire(token: Token) -> None:
    Token.objects.update(expiry=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize("how", [revoke, expire])
async def test_a_stream_of_a_program_ends_with_its_token(
    run: Run,
    ada: User,
    hubs: None,
    how: Callable[[Token], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_guard, "PERIOD", 0.05)
    token, secret = await sync_to_async(make_token)(ada, "front end", scopes=["read"])
    headers = {"Authorization": f"Bearer {secret}", "Accept": "text/event-stream"}
    program = Client(HTTP_HOST="127.0.0.1")
    path = f"/api/v1/runs/{run.pk}/ag-ui/"
    answer = await sync_to_async(program.get)(path, headers=headers)
    frames = answer.streaming_content
    assert b"RUN_STARTED" in await anext(frames)
    await sync_to_async(how)(token)
    async with asyncio.timeout(5):
        assert not any([b"RUN_FINISHED" in part async for part in frames])


async def test_an_idle_stream_shows_that_it_is_alive(
    site: Client, run: Run, hubs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "HEARTBEAT", 0.05)
    answer = await sync_to_async(site.get)(f"/api/v1/runs/{run.pk}/ag-ui/")
    async with asyncio.timeout(5):
        async for part in answer.streaming_content:
            if part == stream.ALIVE:
                break
