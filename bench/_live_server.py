"""The server of bench.live: the real application, and a thread that writes one run's log.

Prints one JSON line with the address, waits for a JSON line on stdin
(`{"rate": events per second, "seconds": …, "mode": "log" | "group_send"}`), and prints one JSON
line when the log is written.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn

TEXT = "x" * 210
A_STEP = 4
"""Events of one step, in one transaction: reply, state left, transition taken, state entered."""


def main() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)
    from signalbox.serve import collect_garbage_rarely

    where, application = prepare(), compared()
    collect_garbage_rarely()
    config = uvicorn.Config(
        application,
        port=0,
        log_level="warning",
        access_log=False,
        lifespan="on",
        ws_per_message_deflate=False,
        ws_ping_interval=None,  # the watchers answer pings only after the measurement
    )
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:  # As `signalbox serve`.
        runner.run(serve(uvicorn.Server(config), where))


def prepare() -> dict[str, Any]:
    """A run, and the session cookie of a user with access to it."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    from workflows.models import Pack, Run

    person = User.objects.create_user("watcher")
    browser = Client()
    browser.force_login(person)
    pack = Pack.objects.create(
        name="Watched", dialect="none", profile="none", main="x", head=1, owner=person
    )
    run, earlier = (
        Run.objects.create(pack=pack, revision=1, profile="none", driver="manual") for _ in range(2)
    )
    # A server that has run for a while has written before, so nothing is imported for the first
    # event.
    append_events(str(earlier.pk), rate=1000, count=A_STEP, done=threading.Event())
    session = browser.cookies[settings.SESSION_COOKIE_NAME]
    cookie = f"{session.key}={session.value}"
    return {"run": str(run.pk), "cookie": cookie}


def compared() -> Any:
    """The real application, with `group_send` per event as /ws/compare/."""
    from channels.generic.websocket import AsyncWebsocketConsumer
    from channels.routing import URLRouter
    from django.urls import path

    from signalbox.asgi import application

    class Compare(AsyncWebsocketConsumer):
        async def connect(self) -> None:
            await self.channel_layer.group_add("compare", self.channel_name)
            await self.accept()

        async def event(self, message: dict[str, Any]) -> None:
            await self.send(text_data=message["text"])

    compare = URLRouter([path("ws/compare/", Compare.as_asgi())])

    async def both(scope: Any, receive: Any, send: Any) -> None:
        chosen = compare if scope.get("path") == "/ws/compare/" else application
        await chosen(scope, receive, send)

    return both


async def serve(server: uvicorn.Server, where: dict[str, Any]) -> None:
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    print(json.dumps({**where, "port": port}), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        order = json.loads(line)
        write = write_log if order.pop("mode") == "log" else send_to_group
        written = await write(where["run"], **order)
        print(json.dumps({"written": written}), flush=True)
    server.should_exit = True
    await serving


async def write_log(run_id: str, *, rate: float, seconds: float) -> int:
    """Write the log from a separate thread: insert, commit, notify."""
    done = threading.Event()
    count = round(rate * seconds)
    thread = threading.Thread(target=append_events, args=(run_id, rate, count, done))
    thread.start()
    await asyncio.to_thread(done.wait)
    return count


def append_events(run_id: str, rate: float, count: int, done: threading.Event) -> None:
    from django.db import transaction

    from workflows.actions import run_log
    from workflows.core.engine.events import Draft

    begun = time.perf_counter()
    draft = Draft(type="bench.note", fields={"position": "0", "text": TEXT})
    for number in range(0, count, A_STEP):
        time.sleep(max(0.0, begun + number / rate - time.perf_counter()))
        at = time.time()
        with transaction.atomic():
            log = run_log.opened(run_id)
            drafts = [draft] * min(A_STEP, count - number)
            run_log.append(log, run_log.drafted(log.run, drafts, at), status="running")
    done.set()


async def send_to_group(run_id: str, *, rate: float, seconds: float) -> int:
    """`group_send` once per event, as in many examples."""
    from channels.layers import get_channel_layer

    layer = get_channel_layer()
    count = round(rate * seconds)
    begun = time.perf_counter()
    for n in range(1, count + 1):
        await asyncio.sleep(max(0.0, begun + n / rate - time.perf_counter()))
        event = {"n": n, "at": time.time(), "type": "bench.note", "text": TEXT}
        text = json.dumps({"type": "events", "events": [event]})
        await layer.group_send("compare", {"type": "event", "text": text})
    return count


if __name__ == "__main__":
    import os

    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            SIGNALBOX_DATA=folder,
            SIGNALBOX_WORKER="none",
            DJANGO_SETTINGS_MODULE="signalbox.settings",
        )
        sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
        main()
