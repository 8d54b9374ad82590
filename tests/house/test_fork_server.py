"""Forked servers are servers of their own."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.support.live_server import LiveServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Other systems fork no servers")


def started(data: Path, **settings: str) -> LiveServer:
    data.mkdir()
    server = LiveServer(data, **settings)
    server.start()
    return server


def command_of(server: LiveServer) -> list[bytes]:
    assert server.process is not None
    return Path(f"/proc/{server.process.pid}/cmdline").read_bytes().split(b"\0")


def status_for(server: LiveServer, host: str) -> int:
    try:
        with urlopen(Request(f"{server.url}/healthz", headers={"Host": host})) as answer:
            return int(answer.status)
    except HTTPError as refused:
        with refused:
            return refused.code


def test_two_servers_have_their_own_settings_and_ends(tmp_path: Path) -> None:
    named = started(tmp_path / "named", SIGNALBOX_HOSTS="box.example")
    plain = started(tmp_path / "plain")
    assert b"tests.support.fork_server" in command_of(named)
    assert [status_for(one, "box.example") for one in (named, plain)] == [200, 400]
    keys = {(one.data / "secret-key").read_text() for one in (named, plain)}
    assert len(keys) == 2
    assert named.end(signal.SIGKILL) == -signal.SIGKILL
    plain.sign_in()
    assert plain.get("packs/")["results"]
    plain.stop()


def test_a_server_that_cannot_start_is_reported_with_its_log(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"^signalbox: .* not a whole number"):
        started(tmp_path / "data", SIGNALBOX_WEBHOOK_RATE="many")
