"""Authentication of a WebSocket by its session cookie.

The session middleware of Channels checks at every sent frame whether the session must be saved.
Sockets only read sessions, so this middleware loads the user once. `session_guard` checks later
whether the session still exists.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any

from channels.auth import get_user
from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY

Application = Callable[[Mapping[str, Any], Any, Any], Awaitable[Any]]


class SessionUser:
    """Puts `user`, `session_key` and `session_auth_hash` into the scope; needs `cookies` there."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._store = import_module(settings.SESSION_ENGINE).SessionStore

    async def __call__(self, scope: Mapping[str, Any], receive: Any, send: Any) -> Any:
        session = self._store(scope["cookies"].get(settings.SESSION_COOKIE_NAME))
        user = await get_user({"session": session})
        signed_in = {
            "user": user,
            "session_key": session.session_key or "",
            "session_auth_hash": session.get(HASH_SESSION_KEY, ""),
        }
        return await self._application({**scope, **signed_in}, receive, send)
