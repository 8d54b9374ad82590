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
class RunChanged:
    """This run has new events, or work."""

    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackChanged:
    """This pack has a new revision."""

    pack: int
    number: int
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaSent:
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
class AnswerEnded:
    """The answer to the effect `key` that was begun then is over: what it said need not be kept."""

    run: str
    key: str
    begun: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialOutputRequested:
    """Somebody begins to watch this run: who performs its effects says what was said so far."""

    run: str


Notification: TypeAlias = (
    RunChanged | PackChanged | DeltaSent | AnswerEnded | PartialOutputRequested
)
Subscriber: TypeAlias = Callable[[Notification], None]
_subscribers: list[Subscriber] = []


def subscribe(listener: Subscriber) -> Callable[[], None]:
    """Have `listener` called with every ring of this process. Returns how to stop that."""
    _subscribers.append(listener)

    def stop() -> None:
        if listener in _subscribers:
            _subscribers.remove(listener)

    return stop


def notify(what: Notification) -> None:
    """Tell every listener. Never raises: what a listener cannot take, the log still holds."""
    for listener in tuple(_subscribers):
        try:
            listener(what)
        except Exception:
            log.exception("A listener did not take %r", what)


def notify_run(run_id: object) -> None:
    """Ring for new events or new work of a run; after the commit, never before."""
    notify(RunChanged(run=str(run_id)))


def notify_pack(pack_id: int, number: int, author: str) -> None:
    """Ring for a new revision; after the commit, never before."""
    notify(PackChanged(pack=pack_id, number=number, author=author))


def publish_delta(run_id: object, key: str, text: str) -> None:
    """Pass a piece of streamed text on to whoever watches."""
    notify(DeltaSent(run=str(run_id), key=key, text=text))
