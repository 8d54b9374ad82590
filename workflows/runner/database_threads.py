"""Database work off the event loop: on a few threads of its own, or on those that the loop has.

A writer that waits for SQLite's lock then stalls one of these threads and never the server.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, close_old_connections

SWITCH_INTERVAL = 0.000_5
"""Seconds after which a busy thread lets the event loop go on. Python's own 5 ms are paid again at
every frame that the loop sends while a thread of ours is at work."""

DATABASE_UNAVAILABLE = (OperationalError, InterfaceError)
"""No fault of any run, which may be tried again."""

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseThreads:
    """A bounded pool. On SQLite each thread keeps its connection until `close`."""

    def __init__(self, *, size: int, name: str) -> None:
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._pool = ThreadPoolExecutor(max_workers=size, thread_name_prefix=name)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `work` on one of the threads. A cancelled caller leaves the call to finish alone."""
        known = copy_context()  # what a log line of this thread is about
        call = partial(known.run, _with_fresh_connection, partial(work, *args, **kwargs))
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def close(self) -> None:
        """Finish what was begun; connections go with their threads."""
        await asyncio.to_thread(self._pool.shutdown, wait=True)


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """As `asyncio.to_thread`, for work that may look into the database."""
    return await asyncio.to_thread(_with_fresh_connection, partial(work, *args, **kwargs))


def _with_fresh_connection(work: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()  # gives a pooled one back
