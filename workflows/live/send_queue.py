"""Bounded queue of frames for one socket, so that a slow client does not slow down others."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

FRAMES = 200
BYTES = 8 * 1024 * 1024


def encode(frame: dict[str, Any]) -> str:
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Consecutive events of one run, serialised once for all sockets."""

    first: int
    events: Sequence[str]
    short: bool = True
    """True if the batch reached the end of the log."""

    @property
    def last(self) -> int:
        return self.first + len(self.events) - 1

    @cached_property
    def frame(self) -> str:
        return self._frame(self.events)

    def after(self, n: int) -> str:
        """The frame with the events after `n`."""
        return self.frame if n < self.first else self._frame(self.events[n - self.first + 1 :])

    @staticmethod
    def _frame(events: Sequence[str]) -> str:
        return '{"type":"events","events":[' + ",".join(events) + "]}"


class SendQueue:
    """Frames in order. A full queue drops them all and ends with a `behind` frame, which names the
    event to reconnect after."""

    def __init__(self, *, frames: int = FRAMES, size: int = BYTES) -> None:
        self._waiting: deque[tuple[str, int]] = deque()
        self._limit = frames
        self._size = size
        self._bytes = 0
        self._filled = asyncio.Event()
        self.taken = 0
        """Number of the newest event that was added or sent before."""
        self.delivered = 0
        """Number of the newest event that was removed for sending."""
        self.behind = False

    def start_after(self, n: int) -> None:
        self.taken = self.delivered = n

    def take(self, batch: Batch) -> None:
        """Add the events of this batch that are new."""
        if batch.last > self.taken:
            frame = batch.after(self.taken)
            self.taken = batch.last
            self.offer(frame, batch.last)

    @property
    def half_full(self) -> bool:
        return len(self._waiting) * 2 >= self._limit

    def offer(self, frame: str, last: int = 0) -> None:
        """Add a frame. `last` is the number of its newest event, 0 for none."""
        if self.behind:
            return
        if self._waiting and (
            len(self._waiting) >= self._limit or self._bytes + len(frame) > self._size
        ):
            self._drop_all()
            return
        self._waiting.append((frame, last))
        self._bytes += len(frame)
        self._filled.set()

    def _drop_all(self) -> None:
        self.behind = True
        self._waiting.clear()
        self._bytes = 0
        self._waiting.append((encode({"type": "behind", "after": self.delivered}), 0))
        self._filled.set()

    async def next(self) -> str:
        """Wait for the oldest frame and remove it."""
        while not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        frame, last = self._waiting.popleft()
        self._bytes -= len(frame)
        self.delivered = max(self.delivered, last)
        return frame
