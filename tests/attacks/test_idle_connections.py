"""Connections that a stranger opens and leaves idle."""

from __future__ import annotations

import json
import resource
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.support.checks import MEASURED
from tests.support.live_server import LiveServer
from workflows.runner.file_limits import raise_limit

FILES = 1_024
"""The limit of open files where the operator raised none."""
BEGUN = (
    b"",
    b"GET /healthz HT",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
)
"""The bytes that each of four connections sends."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    server = LiveServer(tmp_path)
    server.start()
    assert server.process is not None
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (FILES, FILES))
    yield server
    server.end(signal.SIGKILL)


def asked(server: LiveServer, path: str) -> tuple[dict[str, object], float]:
    begun = time.perf_counter()
    with urlopen(f"{server.url}/{path}", timeout=60) as answer:
        body = json.loads(answer.read())
    return body, time.perf_counter() - begun


@pytest.mark.slow
def test_idle_sockets_take_neither_the_server_nor_its_formats(server: LiveServer) -> None:
    """More than the server has files, from one address; the others keep their place."""
    raise_limit()
    server.sign_in()
    with ExitStack() as sockets:
        for number in range(1_100):
            one = socket.create_connection(("127.0.0.1", server.port))
            sockets.enter_context(one)
            one.sendall(BEGUN[number % len(BEGUN)])
        assert asked(server, "readyz")[0]["status"] == "ready"
        slowest = max(asked(server, "healthz")[1] for _ in range(100))
        assert len(server.get("dialects/")) == 6
        open_now = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))  # type: ignore[union-attr]
        assert open_now < FILES // 2
    if MEASURED:
        assert slowest < 0.25
    assert asked(server, "readyz")[0]["status"] == "ready"
    print(f"\n/healthz at most {slowest * 1000:.0f} ms, {open_now} open files")
