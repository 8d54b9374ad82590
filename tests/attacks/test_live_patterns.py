"""Other users notice nothing while one imports, checks and rehearses hostile patterns."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.attacks.deep_attacks import DEEP
from tests.attacks.pattern_attacks import PATTERNS, promptpack_file
from tests.support.checks import MEASURED
from tests.support.live_server import LiveServer

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

SECONDS = 0.25
"""Limit of the 99th percentile of `/healthz`."""
MACHINE = 4
"""On a machine that is slower without an attack, the limit is this many times its own figure."""
MEGABYTES = 500


class Health:
    """Seconds of every request of `/healthz` in the background."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}/healthz"
        self.times: list[float] = []
        self._end = threading.Event()

    def poll(self) -> None:
        while not self._end.wait(0.005):
            self.ask(1)

    def ask(self, times: int) -> None:
        for _ in range(times):
            begun = time.perf_counter()
            with urlopen(self.url, timeout=120) as response:
                response.read()
            self.times.append(time.perf_counter() - begun)

    @contextmanager
    def watched(self) -> Iterator[None]:
        thread = threading.Thread(target=self.poll)
        thread.start()
        try:
            yield
        finally:
            self._end.set()
            thread.join()

    @property
    def percentile(self) -> float:
        return sorted(self.times)[int(len(self.times) * 0.99)]


def peak_megabytes(server: LiveServer) -> int:
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) // 1024


def test_health_is_answered_while_hostile_packs_are_imported(
    tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    server = LiveServer(tmp_path)
    server.start()
    server.sign_in()
    before = Health(server.url)
    before.ask(200)
    during = Health(server.url)
    with during.watched():
        for number, (name, pattern) in enumerate(PATTERNS.items()):
            send(server, promptpack_file(pattern, name), f"{number}.pack.json")
        for number, data in enumerate(DEEP.values()):
            send(server, data.decode(), f"deep{number}.pack.json")
    megabytes = peak_megabytes(server)
    record_property("p99 without", round(before.percentile, 4))
    record_property("p99 with", round(during.percentile, 4))
    record_property("megabytes", megabytes)
    print(f"p99 {before.percentile:.3f} s → {during.percentile:.3f} s, {megabytes} MB")
    assert len(during.times) > 100
    assert not MEASURED or during.percentile < max(SECONDS, MACHINE * before.percentile)
    assert megabytes < MEGABYTES
    server.stop()


def send(server: LiveServer, text: str, name: str) -> None:
    """Import a text, and rehearse each pack in it. An import or a rehearsal may be refused with a
    message."""
    try:
        taken = server.post("import/", {"text": text, "name": name})
        for card in taken["packs"]:
            server.post(f"packs/{card['id']}/rehearse/", {"runs": 3})
    except HTTPError as refused:
        assert refused.code in (400, 413, 422), name
        assert json.loads(refused.read())["message"]
