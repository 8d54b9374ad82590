"""Notifications within a process: hints that something changed.

The log stays the truth: a lost notification costs a second. Code that writes notifies after its
commit; sockets and workers subscribe. Notifications may come from any thread, so a subscriber only
wakes its own event loop.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChanged:
    """A run has new events or new work."""

    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackChanged:
    """A pack has a new revision."""

    pack: int
    number: int
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackWritten:
    """The opened folder has revision `number` of a pack. `problem`: why no newer one, "" for
    none. `checkout`: the branch of the folder, and what git has not ended there."""

    pack: int
    number: int
    problem: str = ""
    checkout: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalsChanged:
    """A proposal for a pack was made or decided; `changes` counts these."""

    pack: int
    changes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaSent:
    """A piece of streamed text for the effect `key` of a run: shown, never stored.

    `at`: number of characters of the answer before it. `begun` distinguishes the answer from an
    earlier attempt at the same effect (see `partial_output`).
    """

    run: str
    key: str
    text: str
    begun: float
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEnded:
    """The answer to the effect `key` that began at `begun` has ended; its output can be dropped."""

    run: str
    key: str
    begun: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialOutputRequested:
    """A first subscriber follows this run: the process that performs its effects resends the
    partial output."""

    run: str


Notification: TypeAlias = (
    RunChanged
    | PackChanged
    | PackWritten
    | ProposalsChanged
    | DeltaSent
    | AnswerEnded
    | PartialOutputRequested
)
Subscriber: TypeAlias = Callable[[Notification], None]
_subscribers: list[Subscriber] = []


def subscribe(subscriber: Subscriber) -> Callable[[], None]:
    """Call `subscriber` with every notification of this process. Returns a function that ends
    it."""
    _subscribers.append(subscriber)

    def stop() -> None:
        if subscriber in _subscribers:
            _subscribers.remove(subscriber)

    return stop


def notify(notification: Notification) -> None:
    """Call every subscriber. Errors of subscribers are logged, never raised."""
    for subscriber in tuple(_subscribers):
        try:
            subscriber(notification)
        except Exception:
            log.exception("A subscriber failed on %r", notification)


def notify_run(run_id: object) -> None:
    """Announce new events or new work of a run. Call it after the commit."""
    notify(RunChanged(run=str(run_id)))


def notify_pack(pack_id: int, number: int, author: str) -> None:
    """Announce a new revision. Call it after the commit."""
    notify(PackChanged(pack=pack_id, number=number, author=author))
