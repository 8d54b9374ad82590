"""Packs that cost too much: a partial result with a finding, and other users notice nothing."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from tests.attacks.deep_attacks import DEEP
from tests.attacks.pack_attacks import ATTACKS, GIANTS, Tree
from tests.attacks.pattern_attacks import PATTERNS, promptpack_file
from tests.support.checks import MEASURED, quick_or_slow
from tests.support.live_server import ROOT, LiveServer

P99 = 0.25
"""Seconds in which 99 of 100 health checks are answered during an attack."""
MEGABYTES = 500
DRAWN_IN_PART = "dense graph of 250,000"
RESTART = 5.0
BETWEEN = 0.01 if MEASURED else 0.5
"""Seconds between two health checks."""
PATIENCE = 240


class Attacked(LiveServer):
    """A server, with calls that may be refused."""

    def call(self, method: str, path: str, body: bytes = b"", type: str = "") -> tuple[int, Any]:
        """Status and JSON of an answer. No answer is a failure."""
        headers = {
            "Content-Type": type or "application/json",
            "X-CSRFToken": self.cookie("csrftoken"),
        }
        request = Request(f"{self.url}/api/v1/{path}", body or None, headers, method=method)
        try:
            with self.browser().open(request, timeout=PATIENCE) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except HTTPError as refused:
            with refused:
                return refused.code, json.loads(refused.read())

    def bring(self, tree: Tree) -> tuple[int, Any]:
        """Import a tree."""
        edge = uuid4().hex
        parts = [_part(edge, "files", path, data) for path, data in tree.items()]
        parts += [_part(edge, "paths", "", path.encode()) for path in tree]
        body = b"".join(parts) + f"--{edge}--\r\n".encode()
        return self.call("POST", "import/", body, f"multipart/form-data; boundary={edge}")

    @property
    def megabytes(self) -> int:
        """The peak of the server's memory since `forget_peak`."""
        assert self.process is not None
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))

    def forget_peak(self) -> None:
        """Count the peak from the memory that is used now."""
        assert self.process is not None
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")


def _part(edge: str, field: str, name: str, data: bytes) -> bytes:
    file = f'; filename="{name}"' if name else ""
    head = f'--{edge}\r\nContent-Disposition: form-data; name="{field}"{file}\r\n\r\n'
    return head.encode() + data + b"\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    program = ROOT if MEASURED else None
    server = Attacked(tmp_path_factory.mktemp("attacked"), program=program)
    server.start()
    server.sign_in()
    yield server
    if server.process is not None:
        server.end(signal.SIGKILL)


@contextmanager
def others(server: Attacked) -> Iterator[list[float]]:
    """The seconds that each health check takes in the meantime."""
    seconds: list[float] = []
    over = threading.Event()

    def ask() -> None:
        while not seconds or not over.wait(BETWEEN):
            begun = time.perf_counter()
            with urlopen(f"{server.url}/healthz", timeout=PATIENCE) as answer:
                answer.read()
            seconds.append(time.perf_counter() - begun)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield seconds
    finally:
        over.set()
        asking.join()


def p99(seconds: list[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.99)]


def restart(server: Attacked) -> None:
    """Start with empty caches, so that each giant is measured alone."""
    server.end(signal.SIGKILL)
    server.start()


def attack(server: Attacked, tree: Tree) -> list[tuple[int, Any]]:
    """The answers to everything that a user can do with a pack."""
    status, body = server.bring(tree)
    answers = [(status, body)]
    if status != 201:
        return answers
    pack = body["packs"][0]["id"]
    parts = ("graph/", "findings/", "prompt/?state=s0", "offers/?source=s0")
    answers += [server.call("GET", f"packs/{pack}/{part}") for part in parts]
    rehearsal = json.dumps({"runs": 20}).encode()
    answers.append(server.call("POST", f"packs/{pack}/rehearse/", rehearsal))
    other = "stages" if body["packs"][0]["dialect"] == "promptpack" else "promptpack"
    answers.append(
        server.call("POST", f"packs/{pack}/convert/", json.dumps({"to": other}).encode())
    )
    run = json.dumps({"pack": pack, "driver": "rehearsal", "budget": {"total_visits": 5}})
    status, body = server.call("POST", "runs/", run.encode())
    # A run that is killed continues after the restart, where it would be measured with another.
    while status < 300 and body["status"] in ("new", "running"):
        time.sleep(0.05)
        status, body = server.call("GET", f"runs/{body['id']}/")
    return [*answers, (status, body)]


def withstands(server: Attacked, *trees: Tree) -> list[tuple[int, Any]]:
    server.forget_peak()
    with others(server) as seconds:
        answers = [answer for tree in trees for answer in attack(server, tree)]
    assert [status for status, _ in answers if status >= 500] == []
    assert all(body["message"] for status, body in answers if status >= 400)
    print(f"/healthz p99 {p99(seconds):.3f} s, {server.megabytes} MB")
    assert not MEASURED or p99(seconds) < P99
    assert server.megabytes < MEGABYTES
    return answers


@pytest.mark.parametrize("full", quick_or_slow(False, True))
@pytest.mark.parametrize("name", ATTACKS)
def test_other_users_notice_nothing(server: Attacked, name: str, full: bool) -> None:
    make, *sizes = ATTACKS[name]
    withstands(server, make(sizes[full]))


@pytest.mark.slow
@pytest.mark.parametrize("name", GIANTS if MEASURED else list(GIANTS)[:3])
def test_other_users_notice_nothing_of_a_giant(server: Attacked, name: str) -> None:
    restart(server)
    _, *answers = withstands(server, GIANTS[name]())
    if name == DRAWN_IN_PART:
        (_, graph), (_, findings), *_ = answers
        assert graph["transitions"]
        assert "IN004" in {finding["code"] for finding in findings}


@pytest.mark.slow
def test_other_users_notice_nothing_of_patterns_and_nesting(server: Attacked) -> None:
    packs = [promptpack_file(pattern, name).encode() for name, pattern in PATTERNS.items()]
    withstands(server, *({"p.pack.json": data} for data in (*packs, *DEEP.values())))


def test_after_a_kill_the_server_is_up_again(server: Attacked) -> None:
    server.end(signal.SIGKILL)
    begun = time.perf_counter()
    server.start()
    assert not MEASURED or time.perf_counter() - begun < RESTART
    assert server.complaints() == []
