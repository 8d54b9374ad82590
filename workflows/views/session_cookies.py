"""Names of the cookies. Browsers send them to all ports of a machine, so servers that share one
have the port in the name."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def name_by_port(port: int) -> None:
    """Name the cookies of this process. Behind TLS the port is the proxy's, and the same for all
    servers of an installation."""
    if not settings.SESSION_COOKIE_SECURE:
        settings.SESSION_COOKIE_NAME = f"sessionid_{port}"
        settings.CSRF_COOKIE_NAME = f"csrftoken_{port}"


def csrf_cookie(request: HttpRequest) -> dict[str, str]:
    """The name for scripts of a page, and the path of the server."""
    path = settings.ROOT_PATH.rstrip("/")
    return {"csrf_cookie": settings.CSRF_COOKIE_NAME, "path": path}
