"""Partial output: the text of answers in progress, resent to new subscribers.

It is not stored. The process that performs the effect keeps it in memory and sends it again on a
`PartialOutputRequested`; the event that ends the effect holds the whole text.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from workflows.notifications import bus

LONGEST = 100_000
"""Characters kept of one answer; of a longer one, the last."""


@dataclass(slots=True, kw_only=True)
class PartialOutput:
    """One answer so far. `start` is the number of characters before `text` that were dropped;
    `begun` (seconds since 1970) distinguishes it from an earlier attempt at the same effect."""

    begun: float
    start: int = 0
    text: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def take(self, notification: bus.DeltaSent) -> bool:
        """Add a piece at its position. False if it holds nothing new.

        A piece that leaves a gap restarts the text, with everything before it dropped; the next
        complete resend fills the gap.
        """
        at = notification.at
        if notification.begun < self.begun:
            return False
        if (
            notification.begun == self.begun
            and self.start <= at <= at + len(notification.text) <= self.end
        ):
            return False
        if notification.begun > self.begun or at > self.end or at < self.start:
            self.begun, self.start, self.text = notification.begun, at, notification.text
        else:
            self.text += notification.text[self.end - at :]
        if len(self.text) > LONGEST:
            self.start = self.end - LONGEST
            self.text = self.text[-LONGEST:]
        return True


_outputs: dict[str, dict[str, PartialOutput]] = {}
_lock = threading.Lock()


@contextmanager
def publish_partial_output(run_id: object, key: str) -> Iterator[Callable[[str], Awaitable[None]]]:
    """Context of one answer: yields the function to call with each piece of its text."""
    run, output = str(run_id), PartialOutput(begun=time.time())

    async def publish(text: str) -> None:
        piece = bus.DeltaSent(run=run, key=key, text=text, begun=output.begun, at=output.end)
        with _lock:
            output.take(piece)
        bus.notify(piece)

    with _lock:
        _outputs.setdefault(run, {})[key] = output
    try:
        yield publish
    finally:
        with _lock:
            outputs = _outputs.get(run, {})
            if outputs.get(key) is output:
                del outputs[key]
            if not outputs:
                _outputs.pop(run, None)
        if output.end:
            bus.notify(bus.AnswerEnded(run=run, key=key, begun=output.begun))


def _resend(notification: bus.Notification) -> None:
    """Send the output so far to new subscribers of a run."""
    if not isinstance(notification, bus.PartialOutputRequested):
        return
    with _lock:
        pieces = [
            bus.DeltaSent(
                run=notification.run, key=key, text=output.text, begun=output.begun, at=output.start
            )
            for key, output in _outputs.get(notification.run, {}).items()
            if output.text
        ]
    for piece in pieces:
        bus.notify(piece)


bus.subscribe(_resend)
