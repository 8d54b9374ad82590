"""What models are saying right now: kept while they speak, and told to whoever comes meanwhile.

It is stored nowhere. The process that asked remembers it, and tells all of it once more where a
`WantedRing` says that somebody began to watch; the event that ends the effect holds the whole.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from workflows.notifications import bus

LONGEST = 100_000
"""Characters kept of one answer; of a longer one the end."""


@dataclass(slots=True, kw_only=True)
class Speech:
    """One answer so far. `start` is the number of characters before `text` that are not kept;
    `begun` tells it from an earlier try at the same effect (seconds since 1970)."""

    begun: float
    start: int = 0
    text: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def take(self, ring: bus.DeltaRing) -> bool:
        """Put a piece where it belongs. False where it holds nothing new.

        One that leaves a gap begins anew, with the gap as what is not kept; all of it, told once
        more, fills the gap.
        """
        at = self.end if ring.at is None else ring.at
        if ring.begun < self.begun:
            return False
        if ring.begun == self.begun and self.start <= at <= at + len(ring.text) <= self.end:
            return False
        if ring.begun > self.begun or at > self.end or at < self.start:
            self.begun, self.start, self.text = ring.begun, at, ring.text
        else:
            self.text += ring.text[self.end - at :]
        if len(self.text) > LONGEST:
            self.start = self.end - LONGEST
            self.text = self.text[-LONGEST:]
        return True


_speaking: dict[str, dict[str, Speech]] = {}
_lock = threading.Lock()


@contextmanager
def aloud(run_id: object, key: str) -> Iterator[Callable[[str], Awaitable[None]]]:
    """What to call with each piece of the answer to an effect, from its first to its last."""
    run, speech = str(run_id), Speech(begun=time.time())

    async def say(text: str) -> None:
        piece = bus.DeltaRing(run=run, key=key, text=text, begun=speech.begun, at=speech.end)
        with _lock:
            speech.take(piece)
        bus.ring(piece)

    with _lock:
        _speaking.setdefault(run, {})[key] = speech
    try:
        yield say
    finally:
        with _lock:
            speeches = _speaking.get(run, {})
            if speeches.get(key) is speech:
                del speeches[key]
            if not speeches:
                _speaking.pop(run, None)
        if speech.end:
            bus.ring(bus.SilenceRing(run=run, key=key, begun=speech.begun))


def _tell(ring: bus.Ring) -> None:
    """Whoever began to watch hears what is being said here."""
    if not isinstance(ring, bus.WantedRing):
        return
    with _lock:
        said = [
            bus.DeltaRing(
                run=ring.run, key=key, text=speech.text, begun=speech.begun, at=speech.start
            )
            for key, speech in _speaking.get(ring.run, {}).items()
            if speech.text
        ]
    for piece in said:
        bus.ring(piece)


bus.listen(_tell)
