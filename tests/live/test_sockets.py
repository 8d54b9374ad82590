"""WebSockets of runs and packs: messages, sign-in and allowed origins."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.test import Client

from tests.live.conftest import Write
from workflows.live import consumers
from workflows.live.hub import close_hub
from workflows.live.routing import websockets
from workflows.models import Pack, Run
from workflows.notifications.bus import notify_pack, notify_run

pytestmark = pytest.mark.django_db(transaction=True)
HOST = b"127.0.0.1:8000"
Connect = Callable[..., WebsocketCommunicator]
ANN, BEN, NOBODY = "ann", "ben", ""


def sign_in(name: str) -> str:
    """The session cookie of a new user."""
    client = Client()
    client.force_login(User.objects.create_user(name))
    return client.cookies["sessionid"].value


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """Open a socket for a user, from a page."""
    opened: list[WebsocketCommunicator] = []

    cookies = await sync_to_async(lambda: {name: sign_in(name) for name in (ANN, BEN)})()

    def open_(path: str, user: str, origin: bytes | None = b"http://" + HOST) -> Any:
        headers = [(b"host", HOST), *([(b"origin", origin)] if origin else [])]
        if user:
            headers.append((b"cookie", f"sessionid={cookies[user]}".encode()))
        socket = WebsocketCommunicator(websockets, path, headers)
        opened.append(socket)
        return socket

    yield open_
    for socket in opened:
        with suppress(asyncio.CancelledError):
            await socket.disconnect()
    await close_hub()


async def hear(socket: WebsocketCommunicator) -> dict[str, Any]:
    text = await socket.receive_from(120)
    return json.loads(text.encode())  # a server sends UTF-8 or nothing


async def hear_until(socket: WebsocketCommunicator, type: str) -> dict[str, Any]:
    while (heard := await hear(socket))["type"] != type:
        pass
    return heard


async def closed_with(socket: WebsocketCommunicator) -> int:
    await socket.connect()
    while (output := await socket.receive_output(120))["type"] != "websocket.close":
        pass
    return output["code"]


async def test_a_socket_gets_hello_and_all_events_after_its_number(
    run: Run, write: Write, connect: Connect
) -> None:
    await sync_to_async(write)(4)
    socket = connect(f"/ws/runs/{run.pk}/?after=2", ANN)
    await socket.connect()
    assert await hear(socket) == {"type": "hello", "last": 4, "status": "running"}
    assert [event["n"] for event in (await hear(socket))["events"]] == [3, 4]
    await sync_to_async(write)(1)
    notify_run(run.pk)
    (event,) = (await hear(socket))["events"]
    assert (event["n"], event["type"], event["text"]) == (5, "tiny.note", "é 5")


@pytest.mark.parametrize(
    "after", ["", "x", "-3", "²", "1&after=0", "0" * 5000, "%00", "%ff%fe", "1e3", "+1"]
)
async def test_an_invalid_number_means_the_beginning(
    run: Run, write: Write, connect: Connect, after: str
) -> None:
    await sync_to_async(write)(2)
    socket = connect(f"/ws/runs/{run.pk}/?after={after}", ANN)
    await socket.connect()
    await hear(socket)
    assert [event["n"] for event in (await hear(socket))["events"]] == [1, 2]


async def test_an_anonymous_socket_is_rejected(run: Run, connect: Connect) -> None:
    assert await closed_with(connect(f"/ws/runs/{run.pk}/", NOBODY)) == 4401
    assert await closed_with(connect(f"/ws/packs/{run.pack_id}/", NOBODY)) == 4401


async def test_a_missing_object_closes_the_socket(run: Run, connect: Connect) -> None:
    missing = "00000000-0000-0000-0000-000000000000"
    assert await closed_with(connect(f"/ws/runs/{missing}/", ANN)) == 4404
    for number in (999_999, 2**63, 10**30):
        assert await closed_with(connect(f"/ws/packs/{number}/", ANN)) == 4404


@pytest.mark.parametrize(
    "path",
    [
        "/ws/",
        "/ws/runs/7/",
        "/ws/packs/x/",
        "/anything",
        "/ws/packs/\0/",
        "/" * 9_000,
    ],
)
async def test_other_socket_paths_are_rejected(run: Run, connect: Connect, path: str) -> None:
    assert (await connect(path, ANN).connect())[0] is False


@pytest.mark.parametrize(
    ("origin", "may"),
    [
        (b"http://" + HOST, True),
        (b"https://" + HOST, True),
        (b"http://127.0.0.1:8001", False),
        (b"http://evil.example", False),
        (b"https://evil.example:8000", False),
        (b"null", False),
        (b"file://", False),
        (b"http://127.0.0.1:8000.evil.example", False),
        (b"http://[", False),
        (None, False),
    ],
)
async def test_only_pages_of_this_server_may_connect(
    run: Run, connect: Connect, origin: bytes | None, may: bool
) -> None:
    connected, _ = await connect(f"/ws/runs/{run.pk}/", ANN, origin).connect()
    assert connected is may


async def test_a_trusted_origin_may_connect_through_its_proxy(
    run: Run, connect: Connect, settings: Any
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://signalbox.example"]
    socket = connect(f"/ws/runs/{run.pk}/", ANN, b"https://signalbox.example")
    assert (await socket.connect())[0]


async def test_pings_are_sent(run: Run, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "PING", 0.01)
    socket = connect(f"/ws/runs/{run.pk}/", ANN)
    await socket.connect()
    assert (await hear_until(socket, "ping"))["at"] > 1_700_000_000


async def test_viewers_of_a_pack_see_each_others_positions(run: Run, connect: Connect) -> None:
    ann, ben = (connect(f"/ws/packs/{run.pack_id}/", user) for user in (ANN, BEN))
    await ann.connect()
    assert await hear(ann) == {"type": "hello", "head": 1}
    assert (await hear_until(ann, "presence"))["people"] == [{"name": "ann", "element": ""}]
    await ben.connect()
    here = [{"name": "ann", "element": ""}, {"name": "ben", "element": ""}]
    assert (await hear_until(ann, "presence"))["people"] == here
    await ben.send_to(text_data='{"type": "at", "element": "state:review"}')
    here[1]["element"] = "state:review"
    assert (await hear_until(ann, "presence"))["people"] == here
    await ben.disconnect()
    assert (await hear_until(ann, "presence"))["people"] == here[:1]


@pytest.mark.parametrize(
    "said",
    [
        " ",
        "[",
        "7",
        '{"type": 3}',
        '{"type": "at", "element": {}}',
        '{"type": "at", "element": "\\ud800\\u0000"}',
        '{"type": "at", "element": NaN, "\\udfff": 1e999}',
        '{"type": "at", "element": "%s"}' % ("x" * 100_000),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param("9" * 5_000, id="digits"),
    ],
)
async def test_invalid_client_messages_are_ignored(run: Run, connect: Connect, said: str) -> None:
    socket = connect(f"/ws/packs/{run.pack_id}/", ANN)
    await socket.connect()
    await socket.send_to(text_data=said)
    await hear_until(socket, "presence")
    notify_pack(run.pack_id, 2, "ben")
    assert (await hear_until(socket, "revision"))["number"] == 2


async def test_binary_messages_are_ignored(run: Run, write: Write, connect: Connect) -> None:
    socket = connect(f"/ws/runs/{run.pk}/", ANN)
    await socket.connect()
    await hear_until(socket, "hello")
    for data in (b"\xff\xfe", b'{"type": "at"}' * 1_000):
        await socket.send_to(bytes_data=data)
    await socket.send_to(text_data="\0")
    await sync_to_async(write)(1)
    notify_run(str(run.pk))
    assert [event["n"] for event in (await hear_until(socket, "events"))["events"]] == [1]


async def test_a_new_revision_is_sent_once_with_its_author(run: Run, connect: Connect) -> None:
    socket = connect(f"/ws/packs/{run.pack_id}/", ANN)
    await socket.connect()
    await hear_until(socket, "presence")
    notify_pack(run.pack_id, 2, "ben")
    notify_pack(run.pack_id, 2, "ben")
    notify_pack(run.pack_id, 3, "ann")
    heard = [await hear_until(socket, "revision") for _ in range(2)]
    assert [(frame["number"], frame["author"]) for frame in heard] == [(2, "ben"), (3, "ann")]


async def test_a_revision_with_a_lost_notification_is_found(run: Run, connect: Connect) -> None:
    socket = connect(f"/ws/packs/{run.pack_id}/", ANN)
    await socket.connect()
    await hear_until(socket, "presence")
    await Pack.objects.filter(pk=run.pack_id).aupdate(head=7)
    assert (await hear_until(socket, "revision"))["number"] == 7


async def test_the_session_cookie_identifies_the_user(run: Run) -> None:
    cookie = await sync_to_async(sign_in)("cleo")
    for given, code in ((cookie, None), ("made-up", 4401), ("", 4401)):
        headers = [
            (b"host", HOST),
            (b"origin", b"http://" + HOST),
            (b"cookie", f"sessionid={given}".encode()),
        ]
        socket = WebsocketCommunicator(websockets, f"/ws/packs/{run.pack_id}/", headers)
        if code is None:
            await socket.connect()
            people = (await hear_until(socket, "presence"))["people"]
            assert people == [{"name": "cleo", "element": ""}]
        else:
            assert await closed_with(socket) == code
        await socket.disconnect()
    await close_hub()
