"""One watched run: its log is read once after a cursor, serialised once, handed to everybody."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Protocol

from workflows.live.send_queue import Batch, Mailbox, encode
from workflows.notifications.bus import DeltaRing
from workflows.notifications.partial_output import Speech

log = logging.getLogger(__name__)


PER_WATCHER = 0.000_025
"""Seconds that sending one frame takes a process, roughly: reads wait for that, too."""
WORDS_GATHER = 0.03
"""Seconds in which streamed words become one message."""
MOST_SPEECHES = 100
"""Answers that one run can be giving at a time, as far as they are kept."""
LONGEST_GAP = 0.05
"""Seconds that nothing may keep the next read waiting longer."""


class Reader(Protocol):
    """Reads the next events after a number."""

    async def __call__(self, run_id: str, after: int) -> Batch | None: ...


class Feed:
    """Lives while somebody watches. Everything but `ring` happens on the hub's loop.

    `silence` is how long a lost ring may cost, `gap` how long rings gather before the next read,
    both in seconds.
    """

    def __init__(self, run_id: str, read: Reader, *, silence: float, gap: float) -> None:
        self.run_id = run_id
        self.guests = 0
        """Those who watch or are catching up; without any the hub lets the feed go."""
        self.cursor: int | None = None
        self._read = read
        self._silence = silence
        self._gap = gap
        self._rung = asyncio.Event()
        self._mailboxes: set[Mailbox] = set()
        self._said: dict[str, str] = {}
        self._speeches: dict[str, Speech] = {}
        """What is being said, by the key of the effect: for those who come later."""
        self._told: dict[str, int] = {}
        """How many characters of each speech everybody here was sent."""
        self._speaking: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._follow(), name=f"feed-{run_id}")

    def ring(self) -> None:
        self._rung.set()

    def delta(self, ring: DeltaRing) -> None:
        """Streamed text goes to those who keep up; the event that follows holds all of it."""
        if ring.at is None:
            self._said[ring.key] = self._said.get(ring.key, "") + ring.text
        elif not self._taken(ring, ring.at):
            return
        if self._speaking is None:
            loop = asyncio.get_running_loop()
            self._speaking = loop.call_later(WORDS_GATHER, self._speak)

    def _taken(self, ring: DeltaRing, at: int) -> bool:
        """Whether the piece was new here. A new speech is told from its beginning, and so is one
        whose beginning was missing."""
        speech = self._speeches.get(ring.key)
        if speech is None:
            if len(self._speeches) >= MOST_SPEECHES:
                self.silence(next(iter(self._speeches)))
            speech = self._speeches[ring.key] = Speech(begun=ring.begun, start=at)
            self._told[ring.key] = at
        begun, start = speech.begun, speech.start
        if not speech.take(ring):
            return False
        if speech.begun != begun or speech.start < start:
            self._told[ring.key] = speech.start
        return True

    def silence(self, key: str, begun: float | None = None) -> None:
        """What was said there need not be kept; what is not yet told is told before."""
        speech = self._speeches.get(key)
        if speech is not None and begun in (None, speech.begun):
            self._speak()
            del self._speeches[key]
            del self._told[key]

    def _tell_so_far(self, mailbox: Mailbox) -> None:
        """Somebody new hears what the others have heard already."""
        for key, speech in self._speeches.items():
            heard = speech.text[: self._told[key] - speech.start]
            if heard:
                mailbox.offer(_piece(key, speech, speech.start, heard))

    def _speak(self) -> None:
        """What gathered of each answer, as one frame."""
        said, self._said = self._said, {}
        if self._speaking is not None:
            self._speaking.cancel()
            self._speaking = None
        for key, text in said.items():
            self._offer(encode({"type": "delta", "key": key, "text": text}))
        for key, speech in self._speeches.items():
            at = max(self._told[key], speech.start)
            if at < speech.end:
                self._offer(_piece(key, speech, at, speech.text[at - speech.start :]))
                self._told[key] = speech.end

    def _offer(self, frame: str) -> None:
        for mailbox in self._mailboxes:
            if not mailbox.half_full:
                mailbox.offer(frame)

    def admit(self, mailbox: Mailbox, after: int) -> bool:
        """Let a guest who has read up to `after` go on live. False where the others are further:
        there is more in the log to read first."""
        if self.cursor is None:
            self.cursor = after
        elif after < self.cursor:
            return False
        mailbox.start_after(after)
        self._mailboxes.add(mailbox)
        self._tell_so_far(mailbox)
        return True

    def dismiss(self, mailbox: Mailbox) -> None:
        self._mailboxes.discard(mailbox)
        if not self._mailboxes:
            self.cursor = None

    async def close(self) -> None:
        if self._speaking is not None:
            self._speaking.cancel()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._silence):
                    await self._rung.wait()
            self._rung.clear()
            try:
                await self._hand_out()
            except Exception:
                log.exception("Could not read the log of run %s; trying again", self.run_id)
            await self._let_sockets_breathe()

    async def _let_sockets_breathe(self) -> None:
        """Rings gather until nearly everybody has sent what they got: under load frames become
        fewer and longer. The slowest tenth is not waited for, and nobody for long."""
        patience = asyncio.get_running_loop().time() + LONGEST_GAP
        await asyncio.sleep(min(self._gap + PER_WATCHER * len(self._mailboxes), LONGEST_GAP))
        while asyncio.get_running_loop().time() < patience:
            busy = sum(not mailbox.empty for mailbox in self._mailboxes)
            if busy * 10 <= len(self._mailboxes):
                return
            await asyncio.sleep(self._gap)

    async def _hand_out(self) -> None:
        while self.cursor is not None:
            cursor = self.cursor
            batch = await self._read(self.run_id, cursor)
            if batch is None or self.cursor != cursor:
                return
            self.cursor = batch.last
            self._speak()
            for mailbox in tuple(self._mailboxes):
                mailbox.take(batch)
                if mailbox.behind:
                    self._mailboxes.discard(mailbox)
            if batch.short:
                return


def _piece(key: str, speech: Speech, at: int, text: str) -> str:
    return encode({"type": "delta", "key": key, "begun": speech.begun, "at": at, "text": text})
