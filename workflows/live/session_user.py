"""Authentication of a WebSocket by its session cookie.

The session middleware of Channels checks at every sent frame whether the session must be saved.
Sockets only read sessions, so this middleware loads the user once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any

from channels.auth import get_user
from django.conf import settings

Application = Callable[[Mapping[str, Any], Any, Any], Awaitable[Any]]


class SessionUser:
    """Puts `user` into the scope; needs `cookies` there."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._store = import_module(settings.SESSION_ENGINE).SessionStore

    async def __call__(self, scope: Mapping[str, Any], receive: Any, send: Any) -> Any:
        session = self._store(scope["cookies"].get(settings.SESSION_COOKIE_NAME))
        user = await get_user({"session": session})
        return await self._application({**scope, "user": user}, receive, send)
