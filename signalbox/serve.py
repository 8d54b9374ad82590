"""`signalbox serve`: database, samples, sign-in link and server, in one process."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
import sys
import threading
import warnings
import webbrowser
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from signalbox.commands.errors import Trouble
from signalbox.database import checkpoint, prepare
from signalbox.isolation import check_isolation
from signalbox.project.repository import ignored_now
from workflows.core.plugins import declared
from workflows.installation import CANVAS

WS_MAX_BYTES = 256 * 1024
GRACE = 5
KEEP_ALIVE = 130
"""Seconds that an idle connection stays open. Proxies keep theirs for one or two minutes, and
answer 502 to a request that they send over one that the server has closed."""


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    folder: Path | None = None,
    save_layout: bool = False,
    browser: bool = False,
) -> None:
    """Migrate, load samples, and serve until stopped. Prints a one-time link when it is ready.

    With a folder its packs are loaded instead of the samples, and kept in step with its files.
    `save_layout` also writes their layout there. `browser` opens the link.

    Raises Trouble if the address or the data folder cannot be used.
    """
    listening = bound(host, port)
    port = listening.getsockname()[1]
    prepare("serve" if folder is None else "open")
    check_isolation()
    _warn(host)
    # WhiteNoise returns plain iterators; Django reads them in a thread and warns about it.
    warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")
    from django.conf import settings
    from django.urls import get_resolver

    from signalbox.asgi import application
    from signalbox.connections import LimitedConnection
    from workflows.actions.samples import load_samples
    from workflows.isolation.pack_processes import SHORT_WORK
    from workflows.runner.file_limits import raise_limit
    from workflows.views.readiness import load_plugins
    from workflows.views.session_cookies import name_by_port

    raise_limit()
    name_by_port(port)
    SHORT_WORK.begin()
    stop = threading.Event()
    follower: threading.Thread | None = None
    if folder is None:
        load_samples()
    else:
        follower = _open_folder(folder, stop, save_layout=save_layout)
    load_plugins()  # A list that is empty later, without free file handles, would stop every page.
    _ = get_resolver().url_patterns  # Otherwise the first request imports the pages and the API.
    collect_garbage_rarely()
    config = uvicorn.Config(
        application,
        http=LimitedConnection,
        log_level="warning",
        access_log=False,
        server_header=False,
        # Only a TLS proxy may name the address of a client (FORWARDED_ALLOW_IPS: the proxies),
        # or a client could claim any address.
        proxy_headers=settings.SESSION_COOKIE_SECURE,
        timeout_keep_alive=KEEP_ALIVE,
        ws_max_size=WS_MAX_BYTES,
        ws_per_message_deflate=False,  # costs more than it saves: once per socket and frame
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
    )
    server = _Server(config, f"Sign in: {sign_in_address(host, port)}", browser=browser)
    try:
        server.run([listening])
    finally:
        stop.set()
        if follower:
            follower.join(GRACE)
    if not server.started:
        sys.exit(3)


def collect_garbage_rarely() -> None:
    """Leave out what was loaded until now, and look for garbage less often: code and graphs are
    large and long-lived, and a collection stops every request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _open_folder(folder: Path, stop: threading.Event, *, save_layout: bool) -> threading.Thread:
    """Load the packs of a folder and follow its files. Raises Trouble if it has none."""
    from django.conf import settings

    from workflows.actions.people import first_person
    from workflows.folder import watch
    from workflows.folder.sync import FolderSync
    from workflows.repos.checkouts import places_of

    settings.OPENED_FOLDER = folder
    settings.SIGNALBOX_REPOSITORIES = [*settings.SIGNALBOX_REPOSITORIES, *places_of(folder)]
    data = settings.DATA / "opened-folder"
    sync = FolderSync(folder, first_person(), data, ignored_now, save_layout)
    sync.scan()
    if not sync.tracked:
        raise Trouble(
            f"There is no pack in {folder}.",
            hint="Name the folder with the packs. signalbox serve has samples to begin with.",
        )
    count = len(sync.tracked)
    print(f"{folder}: {count} {'pack' if count == 1 else 'packs'}", flush=True)
    return watch.start(sync, stop)


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
        raise Trouble(f"{host} is not an address of this machine.") from None
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
    if not (CANVAS / "manifest.json").exists():
        _say("The canvas is not built, so its pages stay empty: use `make run`.")
    if host in ("", "0.0.0.0", "::"):
        _say(
            "Other machines on the network can reach this server; users have to sign in. Name this "
            "machine in SIGNALBOX_HOSTS. Without TLS, what is sent can be read on the way."
        )


def _say(sentence: str) -> None:
    print(f"signalbox: {sentence}", file=sys.stderr, flush=True)


class _Server(uvicorn.Server):
    """Prints the sign-in link when the server is ready, and ends event streams before it stops."""

    def __init__(self, config: uvicorn.Config, greeting: str, *, browser: bool) -> None:
        super().__init__(config)
        self._greeting, self._browser = greeting, browser

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(self._greeting, flush=True)
            if self._browser:
                address = self._greeting.removeprefix("Sign in: ")
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        from django.utils.module_loading import import_string

        for path in declared("stop"):
            import_string(path)()
        await super().shutdown(sockets)
        # Here, because uvicorn ends the process by the signal that stopped it.
        await asyncio.to_thread(checkpoint)


def sign_in_address(host: str, port: int) -> str:
    """A one-time sign-in link of the operator, valid for a quarter of an hour."""
    from django.urls import reverse

    from workflows.actions.people import first_person, make_link

    shown = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host
    bracketed = f"[{shown}]" if ":" in shown else shown
    token = make_link(first_person(), skips_second_factor=True)
    return f"http://{bracketed}:{port}{reverse('sign-in')}?{urlencode({'token': token})}"
