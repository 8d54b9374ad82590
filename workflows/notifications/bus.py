"""Rings: short notes that something may be new. The log is the truth; a lost ring costs a second.

Whoever writes rings after its commit, whoever shows or works listens, and neither knows the other.
Rings may come from any thread, so a listener does no more than wake its own loop.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRing:
    """This run has new events, or work."""

    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackRing:
    """This pack has a new revision."""

    pack: int
    number: int
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaRing:
    """A piece of streamed text for the effect `key` of this run: shown, never stored.

    `at`: how many characters of the answer come before it, None where it simply follows. `begun`
    tells the answer from an earlier try at the same effect: see `spoken`.
    """

    run: str
    key: str
    text: str
    begun: float = 0.0
    at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceRing:
    """The answer to the effect `key` that was begun then is over: what it said need not be kept."""

    run: str
    key: str
    begun: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedRing:
    """Somebody begins to watch this run: who performs its effects says what was said so far."""

    run: str


Ring: TypeAlias = RunRing | PackRing | DeltaRing | SilenceRing | WantedRing
Listener: TypeAlias = Callable[[Ring], None]
_listeners: list[Listener] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Have `listener` called with every ring of this process. Returns how to stop that."""
    _listeners.append(listener)

    def stop() -> None:
        if listener in _listeners:
            _listeners.remove(listener)

    return stop


def ring(what: Ring) -> None:
    """Tell every listener. Never raises: what a listener cannot take, the log still holds."""
    for listener in tuple(_listeners):
        try:
            listener(what)
        except Exception:
            log.exception("A listener did not take %r", what)


def ring_run(run_id: object) -> None:
    """Ring for new events or new work of a run; after the commit, never before."""
    ring(RunRing(run=str(run_id)))


def ring_pack(pack_id: int, number: int, author: str) -> None:
    """Ring for a new revision; after the commit, never before."""
    ring(PackRing(pack=pack_id, number=number, author=author))


def ring_delta(run_id: object, key: str, text: str) -> None:
    """Pass a piece of streamed text on to whoever watches."""
    ring(DeltaRing(run=str(run_id), key=key, text=text))
