"""Sockets that stay open after their session, their user or their right to watch has ended."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from roles.rights import Level, share
from tests.support.checks import MEASURED
from workflows.actions import people
from workflows.live import session_guard
from workflows.live.hub import close_hub
from workflows.live.routing import websockets
from workflows.models import Pack, Run

pytestmark = pytest.mark.django_db(transaction=True)
HOST = b"127.0.0.1:8000"


class Person:
    """A user with a browser and a password."""

    def __init__(self, name: str) -> None:
        self.user = User.objects.create_user(name)
        self.browser = Client(HTTP_HOST="127.0.0.1")
        self.browser.force_login(self.user)

    def open(self, path: str) -> WebsocketCommunicator:
        cookie = f"sessionid={self.browser.cookies['sessionid'].value}"
        headers = [(b"host", HOST), (b"origin", b"http://" + HOST), (b"cookie", cookie.encode())]
        return WebsocketCommunicator(websockets, path, headers)


def sign_out(person: Person) -> None:
    person.browser.post("/sign-out/")


def deactivate(person: Person) -> None:
    people.set_active(person.user.pk, False, by=User(pk=0))


def delete(person: Person) -> None:
    User.objects.filter(pk=person.user.pk).delete()


def expire(person: Person) -> None:
    Session.objects.update(expire_date=timezone.now())


def change_password_elsewhere(person: Person) -> None:
    people.set_password(person.user, "correct horse battery")


def cut_session(person: Person) -> None:
    Session.objects.all().delete()


ENDINGS = (sign_out, deactivate, delete, expire, change_password_elsewhere, cut_session)


@pytest.fixture
def run(transactional_db: None) -> Run:
    pack = Pack.objects.create(name="Watched", dialect="tiny", profile="plain", main="x", head=1)
    return Run.objects.create(pack=pack, revision=1, profile="plain", driver="manual")


@pytest.fixture
async def sockets() -> AsyncIterator[list[WebsocketCommunicator]]:
    opened: list[WebsocketCommunicator] = []
    yield opened
    for socket in opened:
        with suppress(asyncio.CancelledError):
            await socket.disconnect()
    await close_hub()


async def connected(person: Person, path: str, opened: list[WebsocketCommunicator]) -> Any:
    socket = person.open(path)
    opened.append(socket)
    await socket.connect()
    assert json.loads(await socket.receive_from(120))["type"] == "hello"
    return socket


async def close_code(socket: WebsocketCommunicator) -> int:
    while (output := await socket.receive_output(120))["type"] != "websocket.close":
        pass
    code: int = output["code"]
    return code


def paths(run: Run) -> tuple[str, str]:
    return f"/ws/runs/{run.pk}/", f"/ws/packs/{run.pack_id}/"


@pytest.mark.parametrize("how", ENDINGS)
async def test_both_sockets_end_with_the_session(
    run: Run,
    sockets: list[WebsocketCommunicator],
    how: Callable[[Person], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_guard, "PERIOD", 0.05)
    person = await sync_to_async(Person)("eve")
    opened = [await connected(person, path, sockets) for path in paths(run)]
    await sync_to_async(how)(person)
    assert [await close_code(socket) for socket in opened] == [4401, 4401]


def unshare(person: Person) -> None:
    """The owner of the pack ends the share, through the API."""
    pack = Pack.objects.get()
    assert pack.owner is not None
    owner = Client(HTTP_HOST="127.0.0.1")
    owner.force_login(pack.owner)
    path = f"/api/v1/sharing/packs/{pack.pk}/"
    answer = owner.put(path, {"shares": []}, "application/json")
    assert answer.status_code == 200, answer.content


@pytest.mark.parametrize(("how", "code"), [(sign_out, 4401), (deactivate, 4401), (unshare, 4404)])
async def test_sockets_end_within_five_seconds(
    run: Run,
    sockets: list[WebsocketCommunicator],
    how: Callable[[Person], None],
    code: int,
) -> None:
    person = await sync_to_async(Person)("eve")
    await sync_to_async(share_for_reading)(run, person)
    opened = [await connected(person, path, sockets) for path in paths(run)]
    began = time.monotonic()
    await sync_to_async(how)(person)
    assert [await close_code(socket) for socket in opened] == [code, code]
    assert not MEASURED or time.monotonic() - began < 5


def share_for_reading(run: Run, person: Person) -> None:
    """Give the pack of a run to another user, who shares it with this person."""
    run.pack.owner = User.objects.create_user("owner")
    run.pack.save()
    share(run.pack, person.user, Level.READ)


async def test_a_lost_right_ends_the_socket(
    run: Run,
    sockets: list[WebsocketCommunicator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_guard, "PERIOD", 0.05)
    person = await sync_to_async(Person)("eve")
    opened = [await connected(person, path, sockets) for path in paths(run)]
    monkeypatch.setattr(session_guard, "readable_packs", lambda user, ids: set())
    monkeypatch.setattr(session_guard, "readable_runs", lambda user, ids: set())
    assert [await close_code(socket) for socket in opened] == [4404, 4404]


async def test_a_deleted_pack_ends_its_sockets(
    run: Run,
    sockets: list[WebsocketCommunicator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_guard, "PERIOD", 0.05)
    person = await sync_to_async(Person)("eve")
    opened = [await connected(person, path, sockets) for path in paths(run)]
    await sync_to_async(lambda: Pack.objects.filter(pk=run.pack_id).delete())()
    assert [await close_code(socket) for socket in opened] == [4404, 4404]


async def test_sockets_of_others_stay_open(
    run: Run,
    sockets: list[WebsocketCommunicator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_guard, "PERIOD", 0.05)
    eve = await sync_to_async(Person)("eve")
    ann = await sync_to_async(Person)("ann")
    gone = await connected(eve, paths(run)[1], sockets)
    stays = await connected(ann, paths(run)[1], sockets)
    await sync_to_async(sign_out)(eve)
    assert await close_code(gone) == 4401
    while (frame := json.loads(await stays.receive_from(120)))["type"] != "presence" or len(
        frame["people"]
    ) != 1:
        pass
    assert frame["people"][0]["name"] == "ann"
    assert await stays.receive_nothing(0.3)
