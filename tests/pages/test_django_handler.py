"""Our handler gives the same answers as Django's own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIHandler

from signalbox.django_handler import DjangoHandler


def scope(path: str) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"accept-encoding", b"br")],
    }


async def answer(handler: Any, path: str) -> list[dict[str, Any]]:
    """The messages of the answer. The client stays connected."""
    waiting = [{"type": "http.request", "body": b""}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return waiting.pop() if waiting else await asyncio.Future()

    async def send(message: Any) -> None:
        sent.append(message)

    await handler(scope(path), receive, send)
    return sent


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/", "/sign-in/", "/no-such-page", "/api/v1/packs", "/health/"])
async def test_answers_are_those_of_djangos_handler(path: str) -> None:
    def stable(messages: list[dict[str, Any]]) -> tuple[int, set[bytes], bytes]:
        """Status, names of the headers, and the type of the content."""
        start = messages[0]
        headers = dict(start["headers"])
        return start["status"], set(headers), headers.get(b"Content-Type", b"")

    assert stable(await answer(DjangoHandler(), path)) == stable(await answer(ASGIHandler(), path))
