"""What waits to be sent to one socket: bounded, so that a slow reader costs nobody else."""

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
    """Consecutive events of one run, each serialised once for everybody who watches."""

    first: int
    events: Sequence[str]
    short: bool = True
    """Whether there was room for more: the log went no further when it was read."""

    @property
    def last(self) -> int:
        return self.first + len(self.events) - 1

    @cached_property
    def frame(self) -> str:
        return self._frame(self.events)

    def after(self, n: int) -> str:
        """The frame without what a watcher already has."""
        return self.frame if n < self.first else self._frame(self.events[n - self.first + 1 :])

    @staticmethod
    def _frame(events: Sequence[str]) -> str:
        return '{"type":"events","events":[' + ",".join(events) + "]}"


class Mailbox:
    """Frames in order. One that is full drops them all, says from where to catch up, and ends."""

    def __init__(self, *, frames: int = FRAMES, size: int = BYTES) -> None:
        self._waiting: deque[tuple[str, int]] = deque()
        self._limit = frames
        self._size = size
        self._bytes = 0
        self._filled = asyncio.Event()
        self.taken = 0
        """Number of the newest event that was put in here or sent before."""
        self.delivered = 0
        """Number of the newest event that was taken out."""
        self.behind = False

    def start_after(self, n: int) -> None:
        self.taken = self.delivered = n

    def take(self, batch: Batch) -> None:
        """Put in what of this batch is new here."""
        if batch.last > self.taken:
            frame = batch.after(self.taken)
            self.taken = batch.last
            self.offer(frame, batch.last)

    @property
    def empty(self) -> bool:
        return not self._waiting

    @property
    def half_full(self) -> bool:
        return len(self._waiting) * 2 >= self._limit

    def offer(self, frame: str, last: int = 0) -> None:
        """Put a frame in. `last` is the number of its newest event, if it holds any."""
        if self.behind:
            return
        if self._waiting and (
            len(self._waiting) >= self._limit or self._bytes + len(frame) > self._size
        ):
            self._fall_behind()
            return
        self._waiting.append((frame, last))
        self._bytes += len(frame)
        self._filled.set()

    def _fall_behind(self) -> None:
        self.behind = True
        self._waiting.clear()
        self._bytes = 0
        self._waiting.append((encode({"type": "behind", "after": self.delivered}), 0))
        self._filled.set()

    async def next(self) -> str:
        """The oldest frame, waiting for one."""
        while not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        frame, last = self._waiting.popleft()
        self._bytes -= len(frame)
        self.delivered = max(self.delivered, last)
        return frame
