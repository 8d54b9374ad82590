"""Origin check of WebSockets: the same pages may connect that may post a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings


def may_connect(scope: Mapping[str, Any]) -> bool:
    """Return True if the Origin is this server's own page, or one listed in CSRF_TRUSTED_ORIGINS.

    Cookies are shared by all ports of a host, so the port is compared too. Requests without an
    Origin are refused: only browsers send the session cookie, and they always send an Origin.
    """
    headers = {name.lower(): value.decode("latin1") for name, value in scope.get("headers", [])}
    origin = headers.get(b"origin", "")
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and parts.netloc == headers.get(b"host")
        and parts.hostname in _hosts()
    )


def _hosts() -> set[str]:
    return {urlsplit(f"//{host}").hostname or host for host in settings.ALLOWED_HOSTS}
