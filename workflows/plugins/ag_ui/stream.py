"""The server-sent events of one run, from any place of its log to its end.

The log is read through the hub, as sockets read it. A stream ends with the run, and when its
session, its token or its right to watch ends. After a lost connection the client continues after
the newest `id` that it has.
"""

from __future__ import annotations

import asyncio
import json
import logging
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from django.http import StreamingHttpResponse

from workflows.core.engine.events import Event
from workflows.core.engine.json_values import finite
from workflows.live.hub import hub
from workflows.live.session_guard import Viewer
from workflows.plugins.ag_ui.core.cursor import Cursor
from workflows.plugins.ag_ui.core.interrupts import waits_for_people
from workflows.plugins.ag_ui.core.live_text import Piece
from workflows.plugins.ag_ui.core.translate import (
    Translation,
    continued,
    interrupted,
    translate,
    translate_piece,
)

log = logging.getLogger(__name__)

HEARTBEAT = 10.0
"""Seconds after which a comment shows that the stream is alive."""
CONTENT_TYPE = "text/event-stream"
WAITING = 100
"""Maximum number of parts that wait for a slow client."""
ALIVE = b": the run continues\n\n"

_open: set[Callable[[object], None]] = set()
"""Functions that end the open streams."""


class EventStream(StreamingHttpResponse):
    """The answer whose body is the stream. `leave` is called when it ends in any way."""

    def __init__(self, viewer: Viewer, log: RunLog, leave: Callable[[], None]) -> None:
        frames = _frames(viewer, log, leave)
        weakref.finalize(frames, leave)
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        super().__init__(frames, content_type=CONTENT_TYPE, headers=headers)
        self._resource_closers.append(leave)  # type: ignore[attr-defined]


async def _frames(viewer: Viewer, log: RunLog, leave: Callable[[], None]) -> AsyncIterator[bytes]:
    parts: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=WAITING)

    def end(_: object) -> None:
        while not parts.empty():
            parts.get_nowait()
        parts.put_nowait(None)

    stop_watching = hub().guard.watch(viewer, end)
    _open.add(end)
    reading = asyncio.create_task(_read(viewer, log, parts), name="ag-ui")
    try:
        while True:
            try:
                async with asyncio.timeout(HEARTBEAT):
                    part = await parts.get()
            except TimeoutError:
                part = ALIVE
            if part is None:
                return
            yield part
    finally:
        leave()
        stop_watching()
        _open.discard(end)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def end_streams() -> None:
    """End all streams of this process, before its server stops. Clients continue elsewhere. Call it
    on the server's loop."""
    for end in tuple(_open):
        end(None)


async def _read(viewer: Viewer, stream: RunLog, parts: asyncio.Queue[bytes | None]) -> None:
    """Put the parts of the stream into the queue, then None."""
    try:
        if await hub().guard.code_for(viewer) is None:
            while await _read_on(stream, parts):
                pass
    except Exception:
        log.exception("An event stream failed")
    await parts.put(None)


async def _read_on(stream: RunLog, parts: asyncio.Queue[bytes | None]) -> bool:
    """Read from the stream's place in the log. True if the client was too slow for the hub: read
    the rest again. False at the end of the run."""
    async with aclosing(hub().watch(stream.run, stream.n)) as frames:  # type: ignore[type-var]
        async for text in frames:
            frame = json.loads(text)
            if frame["type"] == "behind":
                return True
            for part in stream.parts(frame):
                await parts.put(part)
            if stream.ended:
                return False
            if stream.can_interrupt and await hub().is_newest(stream.run, stream.n):
                for part in stream.interrupt():
                    await parts.put(part)
                return False
    return False


class RunLog:
    """Turns the hub's frames into server-sent events, without those that the client has.

    `start`: the event after which this stream continues an interrupted one, and `parent` the id of
    that one for the front end. `interrupts`: the stream ends when the run waits for people only.
    """

    def __init__(
        self,
        begin: Translation,
        after: Cursor,
        *,
        start: int = 0,
        parent: str = "",
        interrupts: bool = False,
    ) -> None:
        self._now = begin
        self._after = after
        self._beyond = after.beyond
        self._start = start
        self._parent = parent
        self._interrupts = interrupts

    @property
    def run(self) -> str:
        return self._now.run

    @property
    def n(self) -> int:
        return self._now.state.n

    @property
    def ended(self) -> bool:
        return self._now.ended

    @property
    def can_interrupt(self) -> bool:
        """True if the run waits for people only, as far as the stream has read its log."""
        return self._interrupts and self.n > self._start and waits_for_people(self._now.state)

    def interrupt(self) -> Iterator[bytes]:
        """The end of a stream whose run waits for people."""
        self._now, found = interrupted(self._now)
        for number, one in enumerate(found, start=1):
            if self._beyond:
                self._beyond -= 1
                continue
            yield _encoded(Cursor(n=self.n, beyond=number), one)

    def parts(self, frame: dict[str, Any]) -> Iterator[bytes]:
        match frame:
            case {"type": "events", "events": events}:
                for body in events:
                    yield from self._event(Event.from_json(body))
            case {"type": "delta", "key": key, "begun": begun, "at": at, "text": text}:
                yield from self._piece(Piece(key=key, begun=begun, at=at, text=text))

    def _event(self, event: Event) -> Iterator[bytes]:
        if event.n <= self.n or self.ended:
            return
        live = self._now.live
        opening: tuple[dict[str, Any], ...] = ()
        if self._start and event.n == self._start + 1:
            self._now, opening = continued(self._now, self._parent)
        self._now, found = translate(self._now, event)
        found = (*opening, *found)
        if event.n <= max(self._after.n, self._start):
            self._resume()
            return
        for number, one in enumerate(found, start=1):
            if self._beyond:
                self._beyond -= 1
                continue
            if number == len(found):
                place = Cursor(n=event.n, live=self._now.live)
            else:
                place = Cursor(n=event.n - 1, beyond=number, live=live)
            yield _encoded(place, one)

    def _resume(self) -> None:
        """Take the answers of which the client has a part from its cursor."""
        if self.n == self._after.n:
            pending = self._now.state.pending
            live = {key: one for key, one in self._after.live.items() if key in pending}
            self._now = replace(self._now, live=live)

    def _piece(self, piece: Piece) -> Iterator[bytes]:
        if self.n < self._after.n or self.n <= self._start or self._beyond:
            return
        for after, one in translate_piece(self._now, piece):
            self._now = after
            yield _encoded(Cursor(n=self.n, live=self._now.live), one)


def _encoded(place: Cursor, event: dict[str, Any]) -> bytes:
    try:
        data = json.dumps(event, separators=(",", ":"), allow_nan=False)
    except ValueError:
        data = json.dumps(finite(event), separators=(",", ":"))
    return f"id: {place}\ndata: {data}\n\n".encode("ascii")
