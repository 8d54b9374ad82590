"""`signalbox serve`: start, error messages, and shutdown."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from websockets.sync.client import connect

from tests.support.checks import quick_and_slow
from tests.support.live_server import ROOT, SIGNALBOX, LiveServer, environment


@pytest.fixture
def running_server(tmp_path: Path) -> Iterator[LiveServer]:
    server = LiveServer(tmp_path)
    yield server
    if server.process is not None:
        server.end(signal.SIGKILL)


def serve(data: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SIGNALBOX, "serve", *options],
        cwd=ROOT,
        env=environment(data),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_second_start_reports_that_the_port_is_taken(
    running_server: LiveServer, tmp_path: Path
) -> None:
    running_server.program = ROOT
    running_server.start()
    running_server.sign_in()
    assert running_server.get("packs/")["results"]
    second = serve(tmp_path, "--port", str(running_server.port))
    assert second.returncode == 2
    assert f"Port {running_server.port} is taken" in second.stderr
    assert "Traceback" not in second.stderr
    assert second.stdout == ""


@pytest.mark.parametrize("how", quick_and_slow([signal.SIGTERM], [signal.SIGINT]))
def test_it_ends_at_once_although_people_are_watching(
    running_server: LiveServer, how: signal.Signals
) -> None:
    running_server.start()
    running_server.sign_in()
    pack = running_server.get("packs/")["results"][0]["id"]
    session = running_server.cookie("sessionid")
    with ExitStack() as watchers:
        for _ in range(5):
            socket = watchers.enter_context(
                connect(
                    f"ws://127.0.0.1:{running_server.port}/ws/packs/{pack}/",
                    origin=running_server.url,
                    additional_headers={"Cookie": f"sessionid_{running_server.port}={session}"},
                )
            )
            assert '"hello"' in str(socket.recv())
        began = time.monotonic()
        running_server.end(how)
        assert time.monotonic() - began < 5
    assert "Traceback" not in running_server.log


def test_a_public_address_causes_a_warning_and_requires_sign_in(
    running_server: LiveServer,
) -> None:
    running_server.host = "0.0.0.0"
    running_server.start()
    assert "Other machines on the network can reach this server" in running_server.log
    with pytest.raises(HTTPError) as refused:
        urlopen(f"{running_server.url}/api/v1/packs/")
    with refused.value as answer:
        assert answer.status == 401
    with urlopen(f"{running_server.url}/") as page:
        assert "/sign-in/" in page.url


def test_an_unusable_data_folder_is_reported(tmp_path: Path) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("a file")
    said = serve(occupied, "--port", "0")
    assert said.returncode == 2
    assert f"cannot keep its data in {occupied}" in said.stderr
    assert "SIGNALBOX_DATA" in said.stderr


def test_an_invalid_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "signalbox.sqlite3").write_text("This is no database, only a text." * 40)
    said = serve(tmp_path, "--port", "0")
    assert said.returncode == 2
    assert f"{tmp_path / 'signalbox.sqlite3'} is not a database." in said.stderr


def test_an_unusable_port_is_reported(cli: Any) -> None:
    said = cli("serve", "--port", "80000")
    assert said.code == 2
    assert "'80000' is not a port" in said.err
