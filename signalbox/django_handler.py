"""Django's handler of HTTP requests, for middleware and views that are synchronous."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from workflows.isolation.request_turns import REQUESTS

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class DjangoHandler(ASGIHandler):
    """Calls middleware and view together on the thread of the request. Django's own handler returns
    to the event loop for the view and for each `process_view`."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(self._in_turn, thread_sensitive=True)(request)

    def _in_turn(self, request: HttpRequest) -> HttpResponseBase:
        with REQUESTS.request():
            return self.get_response(request)
