"""Database work off the event loop, on a small pool of threads or on the loop's default ones.

A writer that waits for SQLite's lock then blocks one of these threads and never the server.
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
"""Seconds after which a busy thread yields to the event loop. With Python's default of 5 ms, every
frame that the loop sends during database work would wait that long."""

DATABASE_UNAVAILABLE = (OperationalError, InterfaceError)
"""Errors that are no fault of a run. The work can be retried."""

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseThreads:
    """A bounded pool. On SQLite each thread keeps its connection until `close`."""

    def __init__(self, *, size: int, name: str) -> None:
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._pool = ThreadPoolExecutor(max_workers=size, thread_name_prefix=name)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `work` on one of the threads. The call completes even if the caller is cancelled."""
        context = copy_context()  # Carries the log context to the thread.
        call = partial(context.run, _with_fresh_connection, partial(work, *args, **kwargs))
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._pool, call))

    async def close(self) -> None:
        """Complete pending calls; connections are closed with their threads."""
        await asyncio.to_thread(self._pool.shutdown, wait=True)


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Like `asyncio.to_thread`, for work that may use the database."""
    return await asyncio.to_thread(_with_fresh_connection, partial(work, *args, **kwargs))


def _with_fresh_connection(work: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()  # Returns a pooled connection.
