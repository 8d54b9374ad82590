"""Routes of the WebSockets."""

from __future__ import annotations

from typing import Any

from channels.routing import URLRouter
from channels.sessions import CookieMiddleware
from django.conf import settings
from django.urls import path, re_path

from workflows.live.consumers import NoSocket, PackSocket, RunSocket
from workflows.live.session_user import SessionUser

websocket_urlpatterns: list[Any] = [
    path(f"{settings.ROOT_PATH[1:]}ws/runs/<uuid:run>/", RunSocket.as_asgi()),
    path(f"{settings.ROOT_PATH[1:]}ws/packs/<int:pack>/", PackSocket.as_asgi()),
    re_path("", NoSocket.as_asgi()),
]

websockets = CookieMiddleware(SessionUser(URLRouter(websocket_urlpatterns)))
"""The application for the protocol `websocket`; `signalbox.asgi` mounts it."""
