"""Sockets of one run: its log is read and serialised once for all of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias

from workflows.live.send_queue import Batch, SendQueue, encode
from workflows.notifications.bus import DeltaSent
from workflows.notifications.partial_output import PartialOutput

log = logging.getLogger(__name__)


DELTA_INTERVAL = 0.03
"""Seconds in which streamed text is collected into one message."""
MAX_OUTPUTS = 100
"""Answers in progress that are kept for one run."""


ReadEvents: TypeAlias = Callable[[str, int], Awaitable[Batch | None]]
"""Reads the next events of a run after a number."""


class RunSubscription:
    """Exists while at least one socket follows the run. Use it on the hub's loop only.

    `poll` is the delay that a lost notification may cost, `gap` the time in which notifications are
    collected before the next read; both in seconds.
    """

    def __init__(self, run_id: str, read: ReadEvents, *, poll: float, gap: float) -> None:
        self.run_id = run_id
        self.subscribers = 0
        """Number of sockets, including those that catch up. The hub closes the subscription at
        0."""
        self.cursor: int | None = None
        self._read = read
        self._poll = poll
        self._gap = gap
        self._changed = asyncio.Event()
        self._queues: set[SendQueue] = set()
        self._outputs: dict[str, PartialOutput] = {}
        """Answers in progress by effect key, for sockets that join later."""
        self._sent: dict[str, int] = {}
        """Number of characters of each output that was sent to every socket."""
        self._flush_timer: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._follow(), name=f"feed-{run_id}")

    def notify(self) -> None:
        self._changed.set()

    def delta(self, notification: DeltaSent) -> None:
        """Queue streamed text. Slow sockets miss it; the event that follows holds the whole."""
        if self._accept(notification) and self._flush_timer is None:
            loop = asyncio.get_running_loop()
            self._flush_timer = loop.call_later(DELTA_INTERVAL, self._flush)

    def _accept(self, notification: DeltaSent) -> bool:
        """Add the piece to its output; False if it was known. A new output is sent from its start,
        and so is one whose start was missing."""
        output = self._outputs.get(notification.key)
        if output is None:
            if len(self._outputs) >= MAX_OUTPUTS:
                self.end_output(next(iter(self._outputs)))
            output = self._outputs[notification.key] = PartialOutput(
                begun=notification.begun, start=notification.at
            )
            self._sent[notification.key] = notification.at
        begun, start = output.begun, output.start
        if not output.take(notification):
            return False
        if output.begun != begun or output.start < start:
            self._sent[notification.key] = output.start
        return True

    def end_output(self, key: str, begun: float | None = None) -> None:
        """Send the rest of an output and discard it."""
        output = self._outputs.get(key)
        if output is not None and begun in (None, output.begun):
            self._flush()
            del self._outputs[key]
            del self._sent[key]

    def _send_output_so_far(self, queue: SendQueue) -> None:
        """Send a new socket what the others have received."""
        for key, output in self._outputs.items():
            sent = output.text[: self._sent[key] - output.start]
            if sent:
                queue.offer(_delta_frame(key, output, output.start, sent))

    def _flush(self) -> None:
        """Send the collected text of each answer as one frame."""
        if self._flush_timer is not None:
            self._flush_timer.cancel()
            self._flush_timer = None
        for key, output in self._outputs.items():
            at = max(self._sent[key], output.start)
            if at < output.end:
                self._offer(_delta_frame(key, output, at, output.text[at - output.start :]))
                self._sent[key] = output.end

    def _offer(self, frame: str) -> None:
        for queue in self._queues:
            if not queue.half_full:
                queue.offer(frame)

    def admit(self, queue: SendQueue, after: int) -> bool:
        """Add a socket that has read up to `after`. False if the cursor is further: the socket has
        to read more of the log first."""
        if self.cursor is None:
            self.cursor = after
        elif after < self.cursor:
            return False
        queue.start_after(after)
        self._queues.add(queue)
        self._send_output_so_far(queue)
        return True

    def dismiss(self, queue: SendQueue) -> None:
        self._queues.discard(queue)
        if not self._queues:
            self.cursor = None

    async def close(self) -> None:
        if self._flush_timer is not None:
            self._flush_timer.cancel()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._poll):
                    await self._changed.wait()
            self._changed.clear()
            try:
                await self._send_new_events()
            except Exception:
                log.exception("Could not read the log of run %s; retrying", self.run_id)
            await asyncio.sleep(self._gap)

    async def _send_new_events(self) -> None:
        while self.cursor is not None:
            cursor = self.cursor
            batch = await self._read(self.run_id, cursor)
            if batch is None or self.cursor != cursor:
                return
            self.cursor = batch.last
            self._flush()
            for queue in tuple(self._queues):
                queue.take(batch)
                if queue.behind:
                    self._queues.discard(queue)
            if batch.short:
                return


def _delta_frame(key: str, output: PartialOutput, at: int, text: str) -> str:
    return encode({"type": "delta", "key": key, "begun": output.begun, "at": at, "text": text})
