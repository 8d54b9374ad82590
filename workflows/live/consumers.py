"""The two WebSockets: the events of a run, and the revisions and viewers of a pack.

Both send JSON text frames with a `type`. Close codes: 4401 not signed in, or no longer; 4404 no
such run or pack, or none that the user may still read; 4408 too far behind (reconnect with the
number of the `behind` frame).
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, suppress
from typing import Any
from urllib.parse import parse_qs

from channels.generic.websocket import AsyncWebsocketConsumer

from workflows.db.text import to_storable
from workflows.live.hub import hub
from workflows.live.origin import may_connect
from workflows.live.pack_subscription import PackSubscription
from workflows.live.send_queue import SendQueue, encode
from workflows.live.session_guard import NOT_THERE, SIGNED_OUT, Kind, Viewer
from workflows.telemetry.metrics import SOCKETS

log = logging.getLogger(__name__)

PING = 2.0
"""Seconds between pings. A client marks itself stale after five seconds without a frame."""
BEHIND, BROKEN = 4408, 1011
GONE = (OSError, RuntimeError)
"""Errors of sending to a closed connection; `disconnect` follows."""
LONGEST_ELEMENT = 400
LONGEST_NUMBER = 18


class Socket(AsyncWebsocketConsumer):
    """Base of both sockets: origin and sign-in checks, frames, pings and closing."""

    kind: Kind
    _work: asyncio.Task[None] | None = None
    _ending: asyncio.Task[None] | None = None
    _stop_watching: Callable[[], None] | None = None

    async def connect(self) -> None:
        if not may_connect(self.scope):
            await self.close()
            return
        await self.accept()
        user = self.scope.get("user")
        if user is None or not user.is_authenticated:
            await self.close(SIGNED_OUT)
            return
        viewer = self._viewer()
        self._work = asyncio.create_task(self._serve(viewer), name="socket")
        self._stop_watching = hub().guard.watch(viewer, self._end)
        SOCKETS.labels(self.kind).inc()

    async def disconnect(self, code: int) -> None:
        if self._stop_watching is not None:
            self._stop_watching()
        if self._work is not None:
            SOCKETS.labels(self.kind).dec()
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    async def _serve(self, viewer: Viewer) -> None:
        pings = asyncio.create_task(self._ping(), name="socket-pings")
        try:
            code = await hub().guard.code_for(viewer) or await self._send_frames()
        except GONE:
            return
        except Exception:
            log.exception("A live view failed")
            code = BROKEN
        finally:
            pings.cancel()
            await asyncio.gather(pings, return_exceptions=True)
        with suppress(*GONE):
            await self.close(code)

    def _viewer(self) -> Viewer:
        return Viewer(
            user=self.scope["user"].pk,
            session=self.scope["session_key"],
            auth_hash=self.scope["session_auth_hash"],
            kind=self.kind,
            object=str(self.scope["url_route"]["kwargs"][self.kind]),
        )

    def _end(self, code: int) -> None:
        """Close the socket from outside: the viewer may no longer watch."""
        self._ending = asyncio.create_task(self._stop(code), name="socket-end")

    async def _stop(self, code: int) -> None:
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)
        with suppress(*GONE):
            await self.close(code)

    async def _ping(self) -> None:
        with suppress(*GONE):
            while True:
                await asyncio.sleep(PING)
                # Without pings the page reports that it may be behind.
                if hub().is_current:
                    await self.send(text_data=encode({"type": "ping", "at": time.time()}))

    async def _send_frames(self) -> int:
        """Send frames until the subscription ends. Returns the close code."""
        raise NotImplementedError


class NoSocket(AsyncWebsocketConsumer):
    """Closes connections to unknown paths."""

    async def connect(self) -> None:
        await self.close()


class RunSocket(Socket):
    """`/ws/runs/{id}/?after=n`: hello, every event after n, deltas."""

    kind = "run"

    async def _send_frames(self) -> int:
        run_id = str(self.scope["url_route"]["kwargs"]["run"])
        frames: AsyncIterator[str] = hub().watch(run_id, self._after())
        code = NOT_THERE
        async with aclosing(frames):  # type: ignore[type-var]
            async for frame in frames:
                code = BEHIND
                await self.base_send({"type": "websocket.send", "text": frame})
        return code

    def _after(self) -> int:
        values = parse_qs(self.scope.get("query_string", b"").decode("latin1")).get("after", ["0"])
        number = values[-1][:LONGEST_NUMBER]
        return int(number) if number.isascii() and number.isdigit() else 0


class PackSocket(Socket):
    """`/ws/packs/{id}/`: hello, revisions, proposals, viewers. Takes `at` from the client."""

    kind = "pack"
    _place: tuple[PackSubscription, SendQueue] | None = None

    async def _send_frames(self) -> int:
        pack_id = int(self.scope["url_route"]["kwargs"]["pack"])
        async with hub().enter(pack_id, self.scope["user"].get_username()) as place:
            if place is None:
                return NOT_THERE
            self._place = place
            _, queue = place
            while not queue.behind:
                await self.send(text_data=await queue.next())
            return BEHIND

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Record the element a viewer selected; other messages are ignored."""
        with suppress(ValueError, RecursionError):
            message: Any = json.loads(text_data or "null")
            if self._place and isinstance(message, dict) and message.get("type") == "at":
                subscription, queue = self._place
                element = message.get("element")
                named = to_storable(element[:LONGEST_ELEMENT]) if isinstance(element, str) else ""
                subscription.move(queue, named)  # a lone surrogate cannot be sent
