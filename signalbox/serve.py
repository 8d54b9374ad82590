"""`signalbox serve`: database, samples, sign-in link and server, in one process."""

from __future__ import annotations

import errno
import gc
import socket
import sys
import warnings
from urllib.parse import urlencode

import uvicorn

from signalbox.commands.errors import Trouble
from signalbox.database import ROOT, prepare

WS_MAX_BYTES = 256 * 1024
GRACE = 5


def serve(host: str = "127.0.0.1", port: int = 8000) -> None:
    """Migrate, load samples, and serve until stopped. Prints a one-time link when it is ready.

    Raises Trouble if the address or the data folder cannot be used.
    """
    listening = bound(host, port)
    port = listening.getsockname()[1]
    prepare("serve")
    _warn(host)
    # WhiteNoise returns plain iterators; Django reads them in a thread and warns about it.
    warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")
    from workflows.actions.samples import load_samples

    load_samples()
    # Parsed packs are large and long-lived, so collecting them finds nothing.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    config = uvicorn.Config(
        "signalbox.asgi:application",
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=WS_MAX_BYTES,
        ws_per_message_deflate=False,  # costs more than it saves: once per socket and frame
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
    )
    server = _Server(config, f"Sign in: {sign_in_address(host, port)}")
    server.run([listening])
    if not server.started:
        sys.exit(3)


def bound(host: str, port: int) -> socket.socket:
    """A bound socket, so that no other server can take the address. Raises Trouble."""
    try:
        family, *_, address = socket.getaddrinfo(
            host or "0.0.0.0", port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, socket.SOCK_STREAM)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(0)
    except socket.gaierror:
        raise Trouble(f"{host} is no address of this machine.") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Trouble(
                f"Port {port} is taken: something, perhaps Signalbox, is running there.",
                hint=f"Use that one, stop it, or choose another with --port {port + 1}.",
            ) from None
        reason = error.strerror or str(error)
        raise Trouble(f"{host}:{port} cannot be listened on: {reason}.") from None
    return taken


def _warn(host: str) -> None:
    """Warn the operator about an unsafe address."""
    if not (ROOT / "frontend_static" / "dist" / "app.js").exists():
        _say("The canvas is not built, so its pages stay empty: use `make run`.")
    if host in ("", "0.0.0.0", "::"):
        _say(
            "Other machines on the network can reach this server; users have to sign in. Name this "
            "machine in SIGNALBOX_HOSTS. Without TLS, what is sent can be read on the way."
        )


def _say(sentence: str) -> None:
    print(f"signalbox: {sentence}", file=sys.stderr, flush=True)


class _Server(uvicorn.Server):
    """Prints the sign-in link when the server is ready."""

    def __init__(self, config: uvicorn.Config, greeting: str) -> None:
        super().__init__(config)
        self._greeting = greeting

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(self._greeting, flush=True)


def sign_in_address(host: str, port: int) -> str:
    """A one-time sign-in link of the operator, valid for a quarter of an hour."""
    from workflows.actions.people import first_person, make_link

    shown = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host
    bracketed = f"[{shown}]" if ":" in shown else shown
    token = make_link(first_person())
    return f"http://{bracketed}:{port}/sign-in/?{urlencode({'token': token})}"
