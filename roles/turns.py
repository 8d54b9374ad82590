"""Turns of users at a limited number of processes, so that one user cannot take them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Condition

_caller: ContextVar[str] = ContextVar("caller", default="")


def set_caller(user: int | str | None) -> None:
    """Count the work of this request for a user."""
    _caller.set("" if user is None else str(user))


def current_caller() -> str:
    """The user of this request; "" outside of requests."""
    return _caller.get()


@contextmanager
def work_for(user: int | str | None) -> Iterator[None]:
    """Count the work in this block for a user."""
    before = _caller.set("" if user is None else str(user))
    try:
        yield
    finally:
        _caller.reset(before)


@dataclass(eq=False, frozen=True, slots=True)
class _Waiting:
    caller: str
    number: int


class Turns:
    """At most `count` turns at the same time.

    While users wait, the next one is a user without a turn; among these, the one whose last turn
    began first. So a user who asks for much waits longer, and others wait for one turn at most.
    """

    def __init__(self, count: int) -> None:
        self._changed = Condition()
        self._free = count
        self._waiting: list[_Waiting] = []
        self._running: Counter[str] = Counter()
        self._last: dict[str, int] = {}
        self._number = 0

    @contextmanager
    def turn(self, caller: str, patience: float) -> Iterator[None]:
        """One turn. Raises TimeoutError after `patience` seconds."""
        self._begin(caller, patience)
        try:
            yield
        finally:
            self._end(caller)

    def _begin(self, caller: str, patience: float) -> None:
        with self._changed:
            self._number += 1
            waiting = _Waiting(caller, self._number)
            self._waiting.append(waiting)
            is_next = self._changed.wait_for(lambda: self._is_next(waiting), patience)
            self._waiting.remove(waiting)
            if not is_next:
                self._changed.notify_all()
                raise TimeoutError
            self._free -= 1
            self._running[caller] += 1
            self._number += 1
            self._last[caller] = self._number
            self._changed.notify_all()

    def _is_next(self, waiting: _Waiting) -> bool:
        return self._free > 0 and waiting is min(self._waiting, key=self._order)

    def _order(self, one: _Waiting) -> tuple[int, int, int]:
        return self._running[one.caller], self._last.get(one.caller, 0), one.number

    def _end(self, caller: str) -> None:
        with self._changed:
            self._free += 1
            self._running[caller] -= 1
            if not self._waiting and not +self._running:
                self._running.clear()
                self._last.clear()
            self._changed.notify_all()
