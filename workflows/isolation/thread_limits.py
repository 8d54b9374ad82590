"""A limit of processor time for pure work on this thread.

Work on a small pack stays in the server, because a process of its own costs more than the work. If
it takes long after all, an exception is raised in its thread, between two of its instructions. So
limit only work without transactions, files and connections, which an interruption could leave half
done.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from workflows.isolation.limits import Limits, Stopped

SECONDS = 5.0
BYTES_PER_SECOND = 200_000
"""Bytes of files for which the work gets one second more: large packs are also read here."""
LOOK_EVERY = 0.1
"""Seconds between two looks at the clocks of the threads."""


class _TimeUp(BaseException):
    """The thread has used up its time. No Exception, so that no rule treats it as its own."""


@dataclass(eq=False, slots=True)
class _Work:
    thread: int
    clock: int
    until: float
    stopped: bool = False

    def is_over(self) -> bool:
        return time.clock_gettime(self.clock) > self.until


_lock = threading.Lock()
_limited: set[_Work] = set()
_begun = threading.Condition(_lock)
_watcher: threading.Thread | None = None


def seconds_for(size: int) -> float:
    """The processor time that work on a pack of `size` bytes may take."""
    return SECONDS + size / BYTES_PER_SECOND


@contextmanager
def thread_limit(seconds: float) -> Iterator[None]:
    """Raise Stopped if this block takes more processor time of its thread (elsewhere than on Linux:
    more time)."""
    thread = threading.get_ident()
    clock = _clock_of(thread)
    work = _Work(thread, clock, time.clock_gettime(clock) + seconds)
    try:
        _begin(work)
        try:
            yield
        finally:
            _end(work)
    except _TimeUp:
        if not work.stopped:  # The limit of a block around this one.
            raise
        raise Stopped("time", Limits(seconds=round(seconds))) from None


def _clock_of(thread: int) -> int:
    if sys.platform == "linux":
        return time.pthread_getcpuclockid(thread)
    return time.CLOCK_MONOTONIC


def _begin(work: _Work) -> None:
    global _watcher
    with _begun:
        _limited.add(work)
        if _watcher is None:
            _watcher = threading.Thread(target=_watch, name="thread-limits", daemon=True)
            _watcher.start()
        _begun.notify()


def _end(work: _Work) -> None:
    """Withdraw the limit. An exception that was sent and not raised yet is not raised any more."""
    with _lock:
        _limited.discard(work)
        if work.stopped:
            _send(work.thread, None)


def _watch() -> None:
    while True:
        with _begun:
            while not _limited:
                _begun.wait()
            for work in [one for one in _limited if one.is_over()]:
                _limited.discard(work)
                work.stopped = True
                _send(work.thread, _TimeUp)
        time.sleep(LOOK_EVERY)


def _send(thread: int, exception: type[BaseException] | None) -> None:
    what = None if exception is None else ctypes.py_object(exception)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
