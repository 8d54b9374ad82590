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

KEPT_WHILE_IDLE = 0.1
"""Seconds for which a thread without work keeps a pooled connection."""

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
        return await self._call(_with_fresh_connection, partial(work, *args, **kwargs))

    async def _call(self, way: Callable[[Callable[[], T]], T], work: Callable[[], T]) -> T:
        context = copy_context()  # Carries the log context to the thread.
        call = partial(context.run, way, work)
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def close(self) -> None:
        """Complete pending calls; connections are closed with their threads."""
        await asyncio.to_thread(self._pool.shutdown, wait=True)


class WriterThread(DatabaseThreads):
    """One thread that keeps its connection between calls that follow each other: the check of a
    pooled connection is a round trip, which takes as long as a step. It returns the connection
    after an error, and after `KEPT_WHILE_IDLE`."""

    def __init__(self, *, name: str) -> None:
        super().__init__(size=1, name=name)
        self._idle: asyncio.TimerHandle | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._idle is not None:
            self._idle.cancel()
        try:
            return await self._call(_with_kept_connection, partial(work, *args, **kwargs))
        finally:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(KEPT_WHILE_IDLE, self._return_connection)

    async def close(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
            self._return_connection()
        await super().close()

    def _return_connection(self) -> None:
        self._pool.submit(close_old_connections)


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Like `asyncio.to_thread`, for work that may use the database."""
    return await asyncio.to_thread(_with_fresh_connection, partial(work, *args, **kwargs))


def _with_fresh_connection(work: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()  # Returns a pooled connection.


def _with_kept_connection(work: Callable[[], T]) -> T:
    try:
        return work()
    except BaseException:
        close_old_connections()  # It may be broken; a connection from the pool is checked.
        raise
