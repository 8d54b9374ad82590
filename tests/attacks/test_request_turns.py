"""A user who sends many requests at once takes a part of the processor, not all of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from signalbox.django_handler import DjangoHandler
from signalbox.request_threads import RequestThreads
from workflows.isolation import request_turns
from workflows.isolation.request_turns import MOST, RequestTurns, enter

WAIT = 20.0


class Requests:
    """Requests of users, each in a thread of its own, which end on demand."""

    def __init__(self, turns: RequestTurns) -> None:
        self.turns = turns
        self.begun: list[str] = []
        self.refused: list[str] = []
        self._changed = threading.Condition()
        self._ends = threading.Semaphore(0)
        self._lends = threading.Event()

    def send(self, caller: str, *, lends: bool = False, patience: float = WAIT) -> None:
        with self.turns.request():
            try:
                self.turns.begin(caller, patience)
            except TimeoutError:
                self._note(self.refused, caller)
                return
            self._note(self.begun, caller)
            if lends:
                with self.turns.lent():
                    assert self._lends.wait(WAIT)
            assert self._ends.acquire(timeout=WAIT)

    def _note(self, notes: list[str], caller: str) -> None:
        with self._changed:
            notes.append(caller)
            self._changed.notify_all()

    def until(self, begun: int, refused: int = 0) -> None:
        with self._changed:
            assert self._changed.wait_for(
                lambda: (len(self.begun), len(self.refused)) == (begun, refused), WAIT
            ), (self.begun, self.refused)

    def end(self, count: int) -> None:
        self._ends.release(count)

    def end_lending(self) -> None:
        self._lends.set()


@contextmanager
def _threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(20) as threads:
        yield threads


def test_the_requests_of_one_user_wait_and_those_of_others_do_not() -> None:
    requests = Requests(RequestTurns(most=2))
    with _threads() as threads:
        for _ in range(5):
            threads.submit(requests.send, "mallory")
        requests.until(2)
        threads.submit(requests.send, "alice")
        requests.until(3)
        assert sorted(requests.begun) == ["alice", "mallory", "mallory"]
        requests.end(6)
        requests.until(6)
    assert not requests.turns._running
    assert not requests.turns._waiting


def test_a_request_that_waits_for_another_server_lends_its_turn() -> None:
    requests = Requests(RequestTurns(most=1))
    with _threads() as threads:
        threads.submit(requests.send, "alice", lends=True)
        requests.until(1)
        threads.submit(requests.send, "alice")
        requests.until(2)
        requests.end_lending()
        requests.end(2)
    assert not requests.turns._running


def test_requests_beyond_the_limit_of_waiting_ones_are_refused() -> None:
    requests = Requests(RequestTurns(most=1, most_waiting=1))
    with _threads() as threads:
        threads.submit(requests.send, "mallory")
        requests.until(1)
        threads.submit(requests.send, "mallory", patience=0.0)
        requests.until(1, refused=1)
        requests.end(1)


@pytest.mark.django_db(transaction=True)
def test_a_refused_request_has_a_message(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns.REQUESTS, "begin", _never)
    client.force_login(User.objects.create_user("mallory"))
    answer = client.get("/api/v1/packs/")
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    page = client.get("/runs/")
    assert page.status_code == 429
    assert "Too many of your requests" in page.content.decode()


def _never(caller: str, patience: float = 0.0) -> None:
    raise TimeoutError


running, most_running = [0], [0]
together = threading.Barrier(MOST)
_counting = threading.Lock()


def busy(request: HttpRequest) -> HttpResponse:
    """A view that returns once `MOST` requests are in it."""
    enter(1)
    with _counting:
        running[0] += 1
        most_running[0] = max(most_running[0], running[0])
    together.wait(WAIT)
    with _counting:
        running[0] -= 1
    return HttpResponse("done")


urlpatterns = [path("busy/", busy)]


async def test_the_handler_serves_a_few_requests_of_a_user_at_a_time(
    settings: Any,
) -> None:
    settings.ROOT_URLCONF, settings.MIDDLEWARE = __name__, []
    handler, threads = DjangoHandler(), RequestThreads()
    statuses: list[int] = []

    async def send(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def request() -> None:
        ends = asyncio.Event()
        parts = iter([{"type": "http.request"}])

        async def receive() -> Mapping[str, Any]:
            part = next(parts, None)
            if part is None:
                await ends.wait()
            return part or {"type": "http.disconnect"}

        scope = {"type": "http", "method": "GET", "path": "/busy/", "headers": []}
        async with threads.lend():
            await handler(scope, receive, send)

    await asyncio.gather(*(request() for _ in range(2 * MOST)))
    assert (statuses, most_running[0], running[0]) == ([200] * 2 * MOST, MOST, 0)
