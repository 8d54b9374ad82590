"""One per process: brings rings to the feeds and rooms that somebody watches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workflows.live.log import author_of, events_after, head_of, standing
from workflows.live.pack_subscription import Room
from workflows.live.relay import Relay
from workflows.live.run_subscription import Feed
from workflows.live.send_queue import Batch, Mailbox, encode
from workflows.notifications import bus
from workflows.runner.database_threads import Threads

SILENCE = 1.0
GAP = 0.005
"""Seconds between two reads of one run's log, at least."""


class Hub:
    """Use it on the loop it was made on; rings may come from any thread.

    `silence`: seconds without a ring after which the log is read all the same. `frames`: how many
    may wait for one socket.
    """

    def __init__(self, *, silence: float = SILENCE, gap: float = GAP, frames: int = 200) -> None:
        self._silence = silence
        self._gap = gap
        self._frames = frames
        self._feeds: dict[str, Feed] = {}
        self._rooms: dict[int, Room] = {}
        self._threads = Threads(size=2, name="live")
        self._loop = asyncio.get_running_loop()
        self._relay = Relay()
        self._deaf = bus.listen(self._heard)

    async def close(self) -> None:
        self._deaf()
        await self._relay.close()
        for feed in self._feeds.values():
            await feed.close()
        for room in self._rooms.values():
            await room.close()
        await self._threads.close()

    async def watch(self, run_id: str, after: int) -> AsyncIterator[str]:
        """Frames for one socket: hello, then every event after `after` once and in order, for ever.

        Ends at once where there is no such run, and after a `behind` frame, which says the number
        to come back with. Close the iterator when the socket goes.
        """
        where = await self._threads.run(standing, run_id)
        if where is None:
            return
        yield encode({"type": "hello", "last": where.last, "status": where.status})
        after = max(0, min(after, where.last))
        mailbox = Mailbox(frames=self._frames)
        async with self._feed(run_id) as feed:
            try:
                # Whoever is where the others are needs nothing from the log first.
                admitted = feed.cursor == after and feed.admit(mailbox, after)
                while not admitted:
                    batch = await self._read(run_id, after)
                    if batch is not None:
                        yield batch.frame
                        after = batch.last
                    elif await self._threads.run(standing, run_id) is None:
                        return
                    admitted = (batch is None or batch.short) and feed.admit(mailbox, after)
                feed.ring()
                while not mailbox.behind:
                    yield await mailbox.next()
                yield await mailbox.next()
            finally:
                feed.dismiss(mailbox)

    @asynccontextmanager
    async def enter(self, pack_id: int, name: str) -> AsyncIterator[tuple[Room, Mailbox] | None]:
        """Be in a pack's room; the socket's frames come out of the mailbox. None: no such pack."""
        head = await self._threads.run(head_of, pack_id)
        if head is None:
            yield None
            return
        room = self._rooms.get(pack_id)
        if room is None:
            room = self._rooms[pack_id] = Room(pack_id, self._newest, silence=self._silence)
        mailbox = Mailbox(frames=self._frames)
        mailbox.offer(encode({"type": "hello", "head": head}))
        room.enter(mailbox, name, head)
        try:
            yield room, mailbox
        finally:
            room.leave(mailbox)
            if room.empty and self._rooms.get(pack_id) is room:
                del self._rooms[pack_id]
                await room.close()

    @asynccontextmanager
    async def _feed(self, run_id: str) -> AsyncIterator[Feed]:
        feed = self._feeds.get(run_id)
        if feed is None:
            feed = Feed(run_id, self._read, silence=self._silence, gap=self._gap)
            self._feeds[run_id] = feed
            bus.ring(bus.WantedRing(run=run_id))
        feed.guests += 1
        try:
            yield feed
        finally:
            feed.guests -= 1
            if not feed.guests and self._feeds.get(run_id) is feed:
                del self._feeds[run_id]
                await feed.close()

    async def _read(self, run_id: str, after: int) -> Batch | None:
        return await self._threads.run(events_after, run_id, after)

    async def _newest(self, pack_id: int) -> tuple[int, str] | None:
        return await self._threads.run(_newest, pack_id)

    def _heard(self, ring: bus.Ring) -> None:
        match ring:
            case bus.DeltaRing(run=run) | bus.SilenceRing(run=run):
                unwatched = run not in self._feeds
            case _:
                unwatched = False
        if not unwatched and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, ring)

    def _take(self, ring: bus.Ring) -> None:
        match ring:
            case bus.RunRing(run=run) if run in self._feeds:
                self._feeds[run].ring()
            case bus.DeltaRing(run=run) if run in self._feeds:
                self._feeds[run].delta(ring)
            case bus.SilenceRing(run=run, key=key, begun=begun) if run in self._feeds:
                self._feeds[run].silence(key, begun)
            case bus.PackRing(pack=pack, number=number, author=author) if pack in self._rooms:
                self._rooms[pack].revision(number, author)


def _newest(pack_id: int) -> tuple[int, str] | None:
    head = head_of(pack_id)
    return None if head is None else (head, author_of(pack_id, head))


_hubs: dict[asyncio.AbstractEventLoop, Hub] = {}


def hub() -> Hub:
    """The hub of the running loop, made the first time somebody asks."""
    loop = asyncio.get_running_loop()
    for gone in [other for other in _hubs if other.is_closed()]:
        del _hubs[gone]
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]


async def close_hub() -> None:
    """Let the hub of the running loop go, if there is one."""
    found = _hubs.pop(asyncio.get_running_loop(), None)
    if found is not None:
        await found.close()
