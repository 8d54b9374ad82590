"""One pack that somebody has open: its newest revision's number, and who is where."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from workflows.live.send_queue import Mailbox, encode

log = logging.getLogger(__name__)

GATHER = 0.05
"""Seconds in which comings, goings and moves become one message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """A person, and the element they are at ("" for none)."""

    name: str
    element: str = ""


class Room:
    """Lives while somebody is in it. `newest` reads the pack's newest revision: number and author,
    None where the pack is gone."""

    def __init__(
        self,
        pack_id: int,
        newest: Callable[[int], Awaitable[tuple[int, str] | None]],
        *,
        silence: float,
    ) -> None:
        self.pack_id = pack_id
        self.head = 0
        self._newest = newest
        self._silence = silence
        self._guests: dict[Mailbox, Guest] = {}
        self._spoken = asyncio.Event()
        self._presence: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._watch(), name=f"room-{pack_id}")

    @property
    def empty(self) -> bool:
        return not self._guests

    def enter(self, mailbox: Mailbox, name: str, head: int) -> None:
        """`head` is the number the guest was told."""
        self._guests[mailbox] = Guest(name=name)
        self.revision(head, "")
        if head < self.head:
            mailbox.offer(_revision(self.head, ""))
        self._tell_who_is_here()

    def move(self, mailbox: Mailbox, element: str) -> None:
        guest = self._guests.get(mailbox)
        if guest is not None and guest.element != element:
            self._guests[mailbox] = Guest(name=guest.name, element=element)
            self._tell_who_is_here()

    def leave(self, mailbox: Mailbox) -> None:
        if self._guests.pop(mailbox, None) is not None:
            self._tell_who_is_here()

    def revision(self, number: int, author: str) -> None:
        """There is a revision with this number; those who are here learn of it once."""
        if number <= self.head:
            return
        first, self.head = not self.head, number
        if not first:
            self._say(_revision(number, author))
        self._spoken.set()

    def people(self) -> list[dict[str, str]]:
        here = {(guest.name, guest.element): None for guest in self._guests.values()}
        return [{"name": name, "element": element} for name, element in here]

    async def close(self) -> None:
        if self._presence is not None:
            self._presence.cancel()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def _tell_who_is_here(self) -> None:
        if self._presence is None:
            loop = asyncio.get_running_loop()
            self._presence = loop.call_later(GATHER, self._say_who_is_here)

    def _say_who_is_here(self) -> None:
        self._presence = None
        self._say(encode({"type": "presence", "people": self.people()}))

    def _say(self, frame: str) -> None:
        for mailbox in tuple(self._guests):
            mailbox.offer(frame)

    async def _watch(self) -> None:
        """After silence, look: a ring may have been lost."""
        while True:
            self._spoken.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._silence):
                    await self._spoken.wait()
                    continue
            try:
                newest = await self._newest(self.pack_id)
            except Exception:
                log.exception("Could not look at pack %s; trying again", self.pack_id)
                continue
            if newest is not None:
                self.revision(*newest)


def _revision(number: int, author: str) -> str:
    return encode({"type": "revision", "number": number, "author": author})
