"""A check that is waited for, for a limited time: a database that hangs blocks its thread, never a
request. While it hangs, further requests wait for the same thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from django.db import connections

T = TypeVar("T")


class BoundedCheck(Generic[T]):
    """Calls `check` on a thread of its own, with a connection of its own."""

    def __init__(self, check: Callable[[], T]) -> None:
        self._check = check
        self._lock = threading.Lock()
        self._running: _Call[T] | None = None

    def result(self, seconds: float) -> T | None:
        """The result of `check`; None if it takes longer. Raises the exceptions of `check`."""
        with self._lock:
            call = self._running
            if call is None or call.done.is_set():
                call = self._running = _Call(self._check)
                threading.Thread(target=call.run, name="health", daemon=True).start()
        return call.answer() if call.done.wait(seconds) else None


class _Call(Generic[T]):
    def __init__(self, check: Callable[[], T]) -> None:
        self._check = check
        self._results: list[T] = []
        self._error: Exception | None = None
        self.done = threading.Event()

    def run(self) -> None:
        try:
            self._results.append(self._check())
        except Exception as error:
            self._error = error
        finally:
            connections.close_all()
            self.done.set()

    def answer(self) -> T:
        if self._error is not None:
            raise self._error
        return self._results[0]
