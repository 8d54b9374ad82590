"""`signalbox serve`: database, samples, a way in, and the server, in one process."""

from __future__ import annotations

import gc
import os
import socket
import sys
import warnings
from urllib.parse import urlencode

import uvicorn

WS_MAX_BYTES = 256 * 1024
GRACE = 5


def serve(host: str = "127.0.0.1", port: int = 8000) -> None:
    """Migrate, load samples, serve until told to stop. Prints a one-time link once it listens."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "signalbox.settings")
    import django

    django.setup()
    # WhiteNoise hands files over as plain iterators; Django reads them in a thread and says so.
    warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")
    _migrate()
    from workflows.actions.samples import load_samples

    load_samples()
    # Parsed packs are large and live long: looking through them all the time finds nothing.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    config = uvicorn.Config(
        "signalbox.asgi:application",
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=WS_MAX_BYTES,
        ws_per_message_deflate=False,  # costs more than it saves: once per socket and frame
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
    )
    server = _Server(config, f"Sign in: {sign_in_address(host, port)}")
    server.run()
    if not server.started:
        sys.exit(3)


class _Server(uvicorn.Server):
    """Says where to go as soon as somebody can go there."""

    def __init__(self, config: uvicorn.Config, greeting: str) -> None:
        super().__init__(config)
        self._greeting = greeting

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(self._greeting, flush=True)


def sign_in_address(host: str, port: int) -> str:
    """A link that signs the operator in once, within a quarter of an hour."""
    from workflows.actions.people import first_person, make_link

    shown = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host
    bracketed = f"[{shown}]" if ":" in shown else shown
    token = make_link(first_person())
    return f"http://{bracketed}:{port}/sign-in/?{urlencode({'token': token})}"


def _migrate() -> None:
    from django.conf import settings
    from django.core.management import call_command

    settings.DATA.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False)
