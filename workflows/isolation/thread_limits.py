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
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from workflows.isolation.limits import Limits, Stopped

T = TypeVar("T")

SECONDS = 5.0
BYTES_PER_SECOND = 200_000
"""Bytes of files for which the work gets one second more: large packs are also read here."""
LOOK_EVERY = 0.1
"""Seconds between two looks at the clocks of the threads."""
ARRIVES_WITHIN = 100
"""Turns of a loop within which an exception arrives that was sent before. The first is enough."""


class _TimeUp(BaseException):
    """The thread has used up its time. No Exception, so that no rule treats it as its own."""


@dataclass(eq=False, slots=True)
class _Work:
    thread: int
    clock: int
    until: float
    stopped: bool = False

    def is_over(self) -> bool:
        try:
            return time.clock_gettime(self.clock) > self.until
        except OSError:  # The thread has ended.
            return True


_lock = threading.Lock()
_limited: dict[_Work, None] = {}
"""In the order in which they began, so the outermost call of a thread is stopped first."""
_begun = threading.Condition(_lock)
_watcher: threading.Thread | None = None


def seconds_for(size: int) -> float:
    """The processor time that work on a pack of `size` bytes may take."""
    return SECONDS + size / BYTES_PER_SECOND


def within(seconds: float, call: Callable[[], T]) -> T:
    """The result of `call`. Raises Stopped if it takes more processor time of this thread
    (elsewhere than on Linux: more time)."""
    thread = threading.get_ident()
    clock = _clock_of(thread)
    work = _Work(thread, clock, time.clock_gettime(clock) + seconds)
    # A function and no context manager: the exception may arrive at any instruction until it is
    # received, and all of them must be inside this `try`.
    try:
        try:
            _begin(work)
            return call()
        finally:
            _end(work)
    except _TimeUp:
        _limited.pop(work, None)  # `_end` may have been interrupted.
        if not work.stopped:  # The limit of a call around this one.
            raise
        raise Stopped("time", Limits(seconds=round(seconds))) from None


def _clock_of(thread: int) -> int:
    if sys.platform == "linux":
        return time.pthread_getcpuclockid(thread)
    return time.CLOCK_MONOTONIC


def _begin(work: _Work) -> None:
    global _watcher
    with _begun:
        _limited[work] = None
        if _watcher is None:
            _watcher = threading.Thread(target=_watch, name="thread-limits", daemon=True)
            _watcher.start()
        _begun.notify()


def _end(work: _Work) -> None:
    """Withdraw the limit, and receive an exception that was sent and has not arrived."""
    with _lock:
        _limited.pop(work, None)
    if work.stopped:
        for _ in range(ARRIVES_WITHIN):
            pass


def _watch() -> None:
    while True:
        with _begun:
            while not _limited:
                _begun.wait()
            over: dict[int, _Work] = {}
            for work in _limited:
                if work.is_over():
                    over.setdefault(work.thread, work)
            for thread, work in over.items():
                del _limited[work]
                work.stopped = True
                _send(thread)
        time.sleep(LOOK_EVERY)


def _send(thread: int) -> None:
    # Never with NULL, to withdraw an exception: Python 3.11 would then look for exceptions at
    # every instruction, for ever.
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_TimeUp))
