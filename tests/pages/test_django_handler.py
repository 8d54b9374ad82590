"""Requests on threads that stay: the same answers as with Django's own handler, and no request
waits for another one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponse

from signalbox.django_handler import KEPT, DjangoHandler


def scope(path: str = "/") -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"accept-encoding", b"br")],
    }


async def answer(
    handler: Any, path: str = "/", leaves: asyncio.Event | None = None
) -> list[dict[str, Any]]:
    """The messages of the answer. The client disconnects at the event."""
    waiting = [{"type": "http.request", "body": b""}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        await (leaves or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await handler(scope(path), receive, send)
    return sent


def handler_with(view: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> DjangoHandler:
    """A handler whose requests only call `view`. The thread of each is in its answer."""
    handler = DjangoHandler()

    def get_response(request: HttpRequest) -> HttpResponse:
        view()
        return HttpResponse(str(threading.get_ident()))

    monkeypatch.setattr(handler, "get_response", get_response)
    return handler


def thread_of(messages: list[dict[str, Any]]) -> bytes:
    return b"".join(one.get("body", b"") for one in messages)


async def test_a_later_request_has_the_thread_of_an_earlier_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handler = handler_with(lambda: None, monkeypatch)
    first = thread_of(await answer(handler))
    while not handler._free:
        await asyncio.sleep(0.001)
    assert thread_of(await answer(handler)) == first


async def test_requests_at_the_same_time_have_threads_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = KEPT + 2
    together = threading.Barrier(count, timeout=30)
    handler = handler_with(lambda: together.wait() and None, monkeypatch)
    answers = await asyncio.gather(*(answer(handler) for _ in range(count)))
    assert len({thread_of(one) for one in answers}) == count
    while len(handler._free) < KEPT:
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.05)
    assert len(handler._free) == KEPT


async def test_the_thread_of_a_client_that_has_left_is_used_after_its_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, goes_on, left = threading.Event(), threading.Event(), asyncio.Event()

    def view() -> None:
        if not begun.is_set():
            begun.set()
            goes_on.wait(30)

    handler = handler_with(view, monkeypatch)
    first = asyncio.ensure_future(answer(handler, leaves=left))
    await asyncio.to_thread(begun.wait, 30)
    left.set()
    assert await first == []
    assert thread_of(await asyncio.wait_for(answer(handler), 30))
    goes_on.set()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/", "/sign-in/", "/no-such-page", "/api/v1/packs", "/health/"])
async def test_answers_are_those_of_djangos_handler(path: str) -> None:
    def stable(messages: list[dict[str, Any]]) -> tuple[int, set[bytes], bytes]:
        """Status, names of the headers, and the type of the content."""
        start = messages[0]
        headers = dict(start["headers"])
        return start["status"], set(headers), headers.get(b"Content-Type", b"")

    assert stable(await answer(DjangoHandler(), path)) == stable(await answer(ASGIHandler(), path))
