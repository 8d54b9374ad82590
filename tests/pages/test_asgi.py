"""The ASGI application: large bodies never reach Django, and the worker runs with the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import pytest

from signalbox.asgi import application

LIMIT = 64 * 1024 * 1024


def scope(*headers: tuple[bytes, bytes], path: str = "/api/v1/import/") -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), *headers],
    }


async def answered(asked: dict[str, Any], *messages: dict[str, Any]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    waiting = list(messages)

    async def receive() -> dict[str, Any]:
        return waiting.pop(0) if waiting else await asyncio.Future()

    async def send(message: Any) -> None:
        sent.append(message)

    await application(asked, receive, send)
    return sent


async def test_a_request_with_a_large_content_length_is_refused_unread() -> None:
    start, body = await answered(scope((b"content-length", str(LIMIT + 1).encode())))
    assert start["status"] == 413
    assert json.loads(body["body"])["code"] == "too_large"


async def test_a_request_that_grows_too_large_is_refused_half_read() -> None:
    chunk = {"type": "http.request", "body": b" " * (LIMIT // 2 + 1), "more_body": True}
    start, body = await answered(scope(), chunk, chunk)
    assert start["status"] == 413
    assert json.loads(body["body"])["code"] == "too_large"


@pytest.mark.parametrize(("worker", "started"), [("embedded", ["up", "down"]), ("none", [])])
async def test_the_embedded_worker_lives_as_long_as_the_server(
    worker: str, started: list[str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[str] = []

    @asynccontextmanager
    async def noted() -> AsyncIterator[None]:
        log.append("up")
        yield
        log.append("down")

    settings.SIGNALBOX_WORKER = worker
    monkeypatch.setattr("workflows.runner.worker.worker", noted)
    monkeypatch.setattr("workflows.runner.periodic_tasks.run_periodic_tasks", nullcontext)
    sent = await answered(
        {"type": "lifespan"}, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}
    )
    assert [message["type"] for message in sent] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
    assert log == started
