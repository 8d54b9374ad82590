"""One server and several `signalbox worker` processes on one PostgreSQL, with Redis and without."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.postgresql import fresh_database, redis_address
from tests.runner.test_killed_server import begin, long_pack
from tests.served import ROOT, SIGNALBOX, Served, environment

__all__ = ["fresh_database"]

RUNS = 50
STATES = 4
Work = Callable[[], subprocess.Popen[str]]


@pytest.fixture(params=["redis", "nothing"])
def rings(request: pytest.FixtureRequest) -> str:
    """What carries rings between processes."""
    return redis_address() if request.param == "redis" else ""


@pytest.fixture
def served(tmp_path: Path, fresh_database: str, rings: str) -> Iterator[Served]:
    server = Served(tmp_path, SIGNALBOX_DATABASE=fresh_database, SIGNALBOX_REDIS=rings)
    server.start()
    server.sign_in()
    yield server
    server.end(signal.SIGTERM)


@pytest.fixture
def work(served: Served) -> Iterator[Work]:
    """Starts a worker, which has said that it is ready."""
    begun: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*SIGNALBOX, "worker"],
            cwd=ROOT,
            env=environment(served.data, **served.settings),
            stdout=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "Ready for runs.\n"
        return process

    yield start
    for process in begun:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def imported(served: Served, length: int) -> int:
    body = {"text": long_pack(length), "name": "long.pack.json"}
    return int(served.post("import/", body)["packs"][0]["id"])


def events(served: Served, run: str) -> list[dict[str, Any]]:
    return list(served.get(f"runs/{run}/events/?limit=5000")["events"])


def seen_live(served: Served, run: str) -> list[dict[str, Any]]:
    """Every event of a run as a socket of the server is told of it, up to the last."""
    address = f"{served.url.replace('http', 'ws')}/ws/runs/{run}/?after=0"
    headers = {"Cookie": f"sessionid={served.cookie('sessionid')}"}
    told: list[dict[str, Any]] = []
    with connect(address, origin=served.url, additional_headers=headers) as socket:
        while not told or told[-1]["type"] != "run.finished":
            frame = json.loads(socket.recv(timeout=60))
            told += frame.get("events", [])
    return told


def once_each(told: list[dict[str, Any]]) -> bool:
    """No event lost or doubled, nothing asked or answered twice."""
    numbered = [event["n"] for event in told] == list(range(1, len(told) + 1))
    keys = [
        Counter(event["key"] for event in told if event["type"] == kind)
        for kind in ("model.asked", "model.replied")
    ]
    return numbered and all(set(count.values()) == {1} and len(count) == STATES for count in keys)


@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is told by /proc")
@pytest.mark.parametrize("rings", ["nothing"], indirect=True)
def test_fifty_runs_of_a_killed_worker_go_on_with_another(served: Served, work: Work) -> None:
    pack = imported(served, STATES)
    first = work()
    runs = [begin(served, pack, delay_ms=2_000) for _ in range(RUNS)]
    while any(served.get(f"runs/{run}/")["last"] < 2 for run in runs):
        pass
    first.kill()
    halfway = [events(served, run) for run in runs]
    work()
    told = [seen_live(served, run) for run in runs]
    assert [log[-1]["type"] for log in halfway].count("run.finished") < RUNS
    assert [log[-1]["status"] for log in told] == ["completed"] * RUNS
    assert all(map(once_each, told))
    assert told == [events(served, run) for run in runs]
    assert "Traceback" not in served.log


def test_what_a_worker_does_is_seen_live_on_the_server(served: Served, work: Work) -> None:
    pack = imported(served, STATES)
    worker = work()
    run = begin(served, pack, delay_ms=50)
    assert once_each(seen_live(served, run))
    worker.terminate()
    assert worker.wait(30) == 0


@pytest.mark.parametrize("rings", ["nothing"], indirect=True)
def test_a_worker_that_is_told_to_stop_gives_its_runs_to_another(
    served: Served, work: Work
) -> None:
    pack = imported(served, STATES)
    first = work()
    runs = [begin(served, pack, delay_ms=500) for _ in range(5)]
    while any(served.get(f"runs/{run}/")["last"] < 2 for run in runs):
        pass
    second = work()
    first.terminate()
    assert first.wait(30) == 0
    assert all(once_each(seen_live(served, run)) for run in runs)
    assert second.poll() is None
