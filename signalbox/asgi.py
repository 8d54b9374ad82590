"""The ASGI application: HTTP, WebSockets, and the embedded worker."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "signalbox.settings")

import django
from django.conf import settings
from django.utils.module_loading import import_string

django.setup(set_prefix=False)

from signalbox.django_handler import DjangoHandler, Receive, Scope, Send  # noqa: E402
from signalbox.request_threads import RequestThreads  # noqa: E402
from workflows.core.plugins import declared  # noqa: E402
from workflows.installation import missing_library  # noqa: E402
from workflows.live.hub import close_hub, hub  # noqa: E402
from workflows.live.routing import websockets  # noqa: E402
from workflows.responses.error_bodies import body  # noqa: E402
from workflows.views.readiness import watch_readiness  # noqa: E402

http = DjangoHandler()
threads = RequestThreads()
applications = {
    settings.ROOT_PATH.rstrip("/") + address: name
    for address, name in (one.split() for one in declared("asgi"))
}
"""Address → the application of a plug-in."""

TOO_LARGE = (
    b'{"code":"too_large","message":"The request is larger than the server takes.",'
    b'"hint":"Import the folder that holds the pack.","where":""}'
)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Django for HTTP, Channels for WebSockets, the worker between startup and shutdown."""
    match scope["type"]:
        case "http" if _length(scope) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            await _refuse(send, 413, TOO_LARGE)
        case "http" if name := applications.get(scope["path"]):
            await _plugin(name, scope, receive, send)
        case "http":
            await _measured(scope, receive, send)
        case "websocket":
            await websockets(scope, receive, send)
        case "lifespan":
            await _lifespan(receive, send)


async def _plugin(name: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Call the application of a plug-in, and answer 501 if its library is not installed."""
    try:
        found = import_string(name)
    except ModuleNotFoundError as error:
        missing = missing_library(error)
        if not missing:
            raise
        await _refuse(send, 501, json.dumps(body("not_installed", missing)).encode())
        return
    await found(scope, receive, send)


async def _lifespan(receive: Receive, send: Send) -> None:
    async with AsyncExitStack() as stack:
        await receive()
        hub()  # it forwards notifications between processes from the start
        if settings.SIGNALBOX_WORKER == "embedded":
            from workflows.runner.periodic_tasks import run_periodic_tasks
            from workflows.runner.worker import worker

            await stack.enter_async_context(worker())
            await stack.enter_async_context(run_periodic_tasks())
        watch = asyncio.create_task(watch_readiness(), name="readiness")
        stack.callback(watch.cancel)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await close_hub()
    await send({"type": "lifespan.shutdown.complete"})


async def _measured(scope: Scope, receive: Receive, send: Send) -> None:
    """Call Django, and answer 413 if the body turns out to be too large."""
    left: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE

    async def counted() -> Mapping[str, Any]:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    async with threads.lend():
        await http(scope, counted, send)
    if left < 0:
        await _refuse(send, 413, TOO_LARGE)


def _length(scope: Scope) -> int:
    """The declared size of the body; an undeclared size is measured during the read."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


async def _refuse(send: Send, status: int, answer: bytes) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(answer)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": answer})
