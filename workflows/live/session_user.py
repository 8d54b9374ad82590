"""Who the session cookie of a WebSocket stands for.

Channels' own session middleware also looks, at every frame sent, whether the session must be saved.
Here sessions are only read, so frames go straight out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any

from channels.auth import get_user
from django.conf import settings

Application = Callable[[Mapping[str, Any], Any, Any], Awaitable[Any]]


class SignedIn:
    """Puts `user` into the scope; needs `cookies` there."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._store = import_module(settings.SESSION_ENGINE).SessionStore

    async def __call__(self, scope: Mapping[str, Any], receive: Any, send: Any) -> Any:
        session = self._store(scope["cookies"].get(settings.SESSION_COOKIE_NAME))
        user = await get_user({"session": session})
        return await self._application({**scope, "user": user}, receive, send)
