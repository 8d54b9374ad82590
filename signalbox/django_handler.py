"""Django's handler of HTTP requests, for middleware and views that are all synchronous."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

KEPT = 8
"""Threads that wait for later requests. More requests at the same time take new ones."""


class DjangoHandler(ASGIHandler):
    """Each request has a thread, and later requests get it again with its connection to the
    database.

    Django's own handler starts a thread and connects for each request, and returns to the event
    loop for the view and for each `process_view`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._free: list[ThreadPoolExecutor] = []

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        thread = self._free.pop() if self._free else ThreadPoolExecutor(1, "request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await super().__call__(scope, receive, send)
        finally:
            # The view is still running there if the client has disconnected.
            thread.submit(self._release, thread)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)

    def _release(self, thread: ThreadPoolExecutor) -> None:
        if len(self._free) < KEPT:
            self._free.append(thread)
        else:
            thread.shutdown(wait=False)
