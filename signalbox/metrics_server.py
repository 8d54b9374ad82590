"""Prometheus metrics and health of a worker, on a port of its own."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from signalbox.commands.errors import Trouble

LOCAL = "127.0.0.1"
Environ = dict[str, Any]


@contextmanager
def figures(place: str) -> Iterator[int]:
    """Serve metrics at `[host:]port` while the context is open; "" serves none. Yields the port, 0
    for none. Raises Trouble."""
    if not place:
        yield 0
        return
    server = _server(*_place(place))
    thread = threading.Thread(target=server.serve_forever, name="figures", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _place(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535:
        raise Trouble(
            f"{text!r} is neither a port nor an address with a port, such as 0.0.0.0:9100."
        )
    return host.strip("[]") or LOCAL, int(port)


def _server(host: str, port: int) -> WSGIServer:
    try:
        return make_server(host, port, _answer, handler_class=_Quiet)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Trouble(f"{host}:{port} cannot be listened on: {reason}.") from None


def _answer(environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
    from prometheus_client import make_wsgi_app

    if environ.get("PATH_INFO") == "/healthz":
        return _health(start)
    if environ.get("PATH_INFO") != "/metrics":
        start("404 Not Found", [("Content-Type", "text/plain")])
        return [b"The figures are at /metrics, and the health is at /healthz.\n"]
    if not _may_see(environ):
        start("401 Unauthorized", [("Content-Type", "text/plain"), ("WWW-Authenticate", "Bearer")])
        return [b"Send the token.\n"]
    shown: Iterable[bytes] = make_wsgi_app()(environ, start)
    return shown


def _health(start: Callable[..., Any]) -> Iterable[bytes]:
    """503 once the worker has not completed its periodic tasks for a while."""
    from workflows.views.readiness import worker_check

    found = worker_check()
    start(
        "200 OK" if found == "ok" else "503 Service Unavailable", [("Content-Type", "text/plain")]
    )
    return [found.encode() + b"\n"]


def _may_see(environ: Environ) -> bool:
    """Access check. Without a token everyone who reaches the port may read; by default it is on
    loopback."""
    from django.conf import settings

    token = settings.SIGNALBOX_METRICS_TOKEN
    if not token:
        return True
    scheme, _, sent_token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    right = hmac.compare_digest(sent_token.strip().encode(), token.encode())
    return right and scheme.lower() == "bearer"


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Do not log scrapes."""
