"""Threads that serve requests, one request at a time each, and are used again.

Django starts a thread for each request, which opens its own connection to the database. A thread
that is used again keeps its connection with its prepared statements.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from asgiref.sync import ThreadSensitiveContext

MOST_IDLE = 8
"""Threads that are kept without a request. Each has a connection of up to two megabytes."""


class RequestThreads:
    """Lends a thread to each request. There are as many threads as concurrent requests."""

    def __init__(self, most_idle: int = MOST_IDLE) -> None:
        self._most_idle = most_idle
        self._idle: deque[ThreadPoolExecutor] = deque()

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[None]:
        """Call the synchronous code of this block on one thread. Use it on one event loop."""
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, "request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                yield
        finally:
            # The view of a cancelled request keeps its thread until it returns.
            await asyncio.shield(asyncio.wrap_future(thread.submit(self._return, thread)))

    def _return(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < self._most_idle:
            self._idle.append(thread)
        else:
            thread.shutdown(wait=False)
