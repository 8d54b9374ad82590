"""Turns of the requests of one user, so that one user cannot take all of the processor.

A request takes its turn once its user is known, and ends it with its answer. A request that only
waits, for a run or for another server, lends its turn meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Condition

from django.db import close_old_connections

from roles.turns import set_caller
from workflows.errors import TooManyRequests

MOST = 6
"""Requests of one user that are computed at the same time: a browser's connections to a server."""
MOST_WAITING = 100
"""Further requests of one user that wait. Each has a thread."""
PATIENCE = 30.0
"""Maximum wait in seconds."""


@dataclass(slots=True)
class _Request:
    caller: str | None = None
    """Set while the request has a turn."""


_request: ContextVar[_Request | None] = ContextVar("request", default=None)


class RequestTurns:
    """At most `most` turns of each user at the same time. Thread-safe."""

    def __init__(self, most: int = MOST, most_waiting: int = MOST_WAITING) -> None:
        self._most = most
        self._most_waiting = most_waiting
        self._changed = Condition()
        self._running: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def request(self) -> Iterator[None]:
        """One request, without a turn until its user is known."""
        request = _Request()
        token = _request.set(request)
        try:
            yield
        finally:
            _request.reset(token)
            self._end(request)

    def begin(self, caller: str, patience: float = PATIENCE) -> None:
        """Take the turn of this request, unless it has one. Outside of requests, nothing happens.
        Raises TimeoutError after `patience` seconds, and if too many requests wait already."""
        request = _request.get()
        if request is None or request.caller is not None:
            return
        with self._changed:
            if self._running[caller] >= self._most:
                self._wait(caller, patience)
            self._running[caller] += 1
            request.caller = caller

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Lend the turn of this request to another one of the same user. Afterwards it continues
        at once."""
        request = _request.get()
        caller = request.caller if request else None
        if request is None or caller is None:
            yield
            return
        self._end(request)
        try:
            yield
        finally:
            with self._changed:
                self._running[caller] += 1
                request.caller = caller

    def _wait(self, caller: str, patience: float) -> None:
        if self._waiting[caller] >= self._most_waiting:
            raise TimeoutError
        close_old_connections()  # Returns a pooled connection.
        self._waiting[caller] += 1
        try:
            if not self._changed.wait_for(lambda: self._running[caller] < self._most, patience):
                raise TimeoutError
        finally:
            self._waiting[caller] -= 1
            self._forget(caller)

    def _end(self, request: _Request) -> None:
        caller, request.caller = request.caller, None
        if caller is None:
            return
        with self._changed:
            self._running[caller] -= 1
            self._forget(caller)
            self._changed.notify_all()

    def _forget(self, caller: str) -> None:
        if not self._running[caller] and not self._waiting[caller]:
            del self._running[caller], self._waiting[caller]


REQUESTS = RequestTurns()


def enter(user: int) -> None:
    """Count this request for its user, and wait for a turn. Raises TooManyRequests."""
    set_caller(user)
    try:
        REQUESTS.begin(str(user))
    except TimeoutError:
        raise TooManyRequests(hint="Wait for their answers, then try again.") from None
