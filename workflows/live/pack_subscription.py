"""Sockets of one open pack: the newest revision's number, and the viewers' positions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass

from workflows.live.send_queue import SendQueue, encode
from workflows.live.stored_events import NewestRevision
from workflows.notifications.bus import PackWritten

log = logging.getLogger(__name__)

PRESENCE_INTERVAL = 0.05
"""Seconds in which joins, leaves and moves are collected into one message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """A person and the element they have selected ("" for none)."""

    name: str
    element: str = ""


class PackSubscription:
    """Exists while at least one socket is open. `newest` reads the pack's newest revision; None if
    the pack was deleted."""

    def __init__(
        self,
        pack_id: int,
        newest: Callable[[int], Awaitable[NewestRevision | None]],
        *,
        poll: float,
    ) -> None:
        self.pack_id = pack_id
        self.head = 0
        self._written: PackWritten | None = None
        self._proposed = 0
        self._newest = newest
        self._poll = poll
        self._viewers: dict[SendQueue, Viewer] = {}
        self._updated = asyncio.Event()
        self._presence: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._watch(), name=f"room-{pack_id}")

    @property
    def empty(self) -> bool:
        return not self._viewers

    def enter(self, queue: SendQueue, name: str, newest: NewestRevision) -> None:
        """Add a viewer, to which the number of `newest` was sent."""
        self.written(newest.written)
        self.proposed(newest.proposed)
        self._viewers[queue] = Viewer(name=name)
        self.revision(newest.number, "")
        if newest.number < self.head:
            queue.offer(_revision(self.head, ""))
        if self._written is not None:
            queue.offer(_written(self._written))
        if self._proposed:
            queue.offer(_proposed(self._proposed))
        self._schedule_presence()

    def move(self, queue: SendQueue, element: str) -> None:
        viewer = self._viewers.get(queue)
        if viewer is not None and viewer.element != element:
            self._viewers[queue] = Viewer(name=viewer.name, element=element)
            self._schedule_presence()

    def leave(self, queue: SendQueue) -> None:
        if self._viewers.pop(queue, None) is not None:
            self._schedule_presence()

    def revision(self, number: int, author: str) -> None:
        """Record a revision number and announce it to the viewers once."""
        if number <= self.head:
            return
        first, self.head = not self.head, number
        if not first:
            self._broadcast(_revision(number, author))
        self._updated.set()

    def written(self, written: PackWritten | None) -> None:
        """Announce what the opened folder has, if that is news."""
        if written is None or written == self._written:
            return
        self._written = written
        self._broadcast(_written(written))

    def proposed(self, changes: int) -> None:
        """Announce a change of the pack's proposals, which are numbered."""
        if changes > self._proposed:
            self._proposed = changes
            self._broadcast(_proposed(changes))

    def people(self) -> list[dict[str, str]]:
        here = {(viewer.name, viewer.element): None for viewer in self._viewers.values()}
        return [{"name": name, "element": element} for name, element in here]

    async def close(self) -> None:
        if self._presence is not None:
            self._presence.cancel()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def _schedule_presence(self) -> None:
        if self._presence is None:
            loop = asyncio.get_running_loop()
            self._presence = loop.call_later(PRESENCE_INTERVAL, self._send_presence)

    def _send_presence(self) -> None:
        self._presence = None
        self._broadcast(encode({"type": "presence", "people": self.people()}))

    def _broadcast(self, frame: str) -> None:
        for queue in tuple(self._viewers):
            queue.offer(frame)

    async def _watch(self) -> None:
        """Read the newest revision after `poll` seconds without one: a notification may be lost."""
        while True:
            self._updated.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._poll):
                    await self._updated.wait()
                    continue
            try:
                newest = await self._newest(self.pack_id)
            except Exception:
                log.exception("Could not read pack %s; retrying", self.pack_id)
                continue
            if newest is not None:
                self.revision(newest.number, newest.author)
                self.written(newest.written)
                self.proposed(newest.proposed)


def _revision(number: int, author: str) -> str:
    return encode({"type": "revision", "number": number, "author": author})


def _proposed(changes: int) -> str:
    return encode({"type": "proposals", "changes": changes})


def _written(written: PackWritten) -> str:
    return encode({"type": "written", **asdict(written)})
