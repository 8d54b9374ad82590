"""One server and several `signalbox worker` processes on one PostgreSQL, with Redis and without."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from websockets.sync.client import connect

from tests.runner.test_killed_server import begin, long_pack
from tests.support.checks import quick_or_slow
from tests.support.database_servers import MIGRATED, empty_database, redis_address
from tests.support.live_server import ROOT, SIGNALBOX, LiveServer, environment

pytestmark = pytest.mark.postgresql

STATES = 4
PATIENCE = 60.0
"""Seconds in which all runs of a dead worker have to be taken over."""
Work = Callable[[], subprocess.Popen[str]]


@pytest.fixture(params=["redis", "nothing"], scope="module")
def rings(request: pytest.FixtureRequest) -> str:
    """The channel of notifications between processes."""
    return redis_address() if request.param == "redis" else ""


@pytest.fixture(scope="module")
def running_server(
    tmp_path_factory: pytest.TempPathFactory, rings: str, django_db_setup: None
) -> Iterator[LiveServer]:
    with empty_database(MIGRATED) as database:
        folder = tmp_path_factory.mktemp("running_server")
        server = LiveServer(folder, SIGNALBOX_DATABASE=database, SIGNALBOX_REDIS=rings)
        server.start()
        server.sign_in()
        yield server
        server.end(signal.SIGTERM)


@pytest.fixture
def work(running_server: LiveServer) -> Iterator[Work]:
    """Starts a worker and waits until it reports ready."""
    begun: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*SIGNALBOX, "worker"],
            cwd=ROOT,
            env=environment(running_server.data, **running_server.settings),
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


def imported(running_server: LiveServer, length: int) -> int:
    body = {"text": long_pack(length), "name": "long.pack.json"}
    return int(running_server.post("import/", body)["packs"][0]["id"])


def events(running_server: LiveServer, run: str) -> list[dict[str, Any]]:
    return list(running_server.get(f"runs/{run}/events/?limit=5000")["events"])


def seen_live(running_server: LiveServer, run: str) -> list[dict[str, Any]]:
    """Every event of a run as a socket receives it, up to the last."""
    address = f"{running_server.url.replace('http', 'ws')}/ws/runs/{run}/?after=0"
    headers = {"Cookie": f"sessionid_{running_server.port}={running_server.cookie('sessionid')}"}
    told: list[dict[str, Any]] = []
    with connect(address, origin=running_server.url, additional_headers=headers) as socket:
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


def jobs(running_server: LiveServer) -> Iterator[list[str]]:
    """The worker of each job, "" for none, polled repeatedly. Fails after a time limit."""
    until = time.monotonic() + PATIENCE
    with psycopg.connect(
        running_server.settings["SIGNALBOX_DATABASE"], autocommit=True
    ) as database:
        while True:
            rows = database.execute("SELECT worker FROM workflows_job").fetchall()
            yield [worker for (worker,) in rows]
            assert time.monotonic() < until, f"After {PATIENCE:.0f} s: {Counter(rows)}"
            time.sleep(0.02)


def wait_until_held(running_server: LiveServer, runs: list[str]) -> str:
    """Wait until one worker holds all of these runs. Returns its name."""
    return next(
        held[0]
        for held in jobs(running_server)
        if len(held) == len(runs) and len(set(held)) == 1 and held[0]
    )


def wait_until_taken_over(running_server: LiveServer, dead: str) -> None:
    """Wait until another worker holds or has finished the runs of this one."""
    next(held for held in jobs(running_server) if not {"", dead} & set(held))


@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc")
@pytest.mark.parametrize("rings", ["nothing"], indirect=True)
@pytest.mark.parametrize("count", quick_or_slow(15, 50))
def test_another_worker_continues_the_runs_of_a_killed_one(
    running_server: LiveServer, work: Work, count: int
) -> None:
    pack = imported(running_server, STATES)
    runs = [begin(running_server, pack, delay_ms=1_000) for _ in range(count)]
    first = work()
    dead = wait_until_held(running_server, runs)
    first.kill()
    halfway = [events(running_server, run) for run in runs]
    assert "run.finished" not in {event["type"] for log in halfway for event in log}
    work()
    wait_until_taken_over(running_server, dead)
    told = [seen_live(running_server, run) for run in runs]
    assert [log[-1]["status"] for log in told] == ["completed"] * count
    assert all(map(once_each, told))
    assert all(log == before[: len(log)] for log, before in zip(halfway, told, strict=True))
    assert told == [events(running_server, run) for run in runs]
    assert "Traceback" not in running_server.log


@pytest.mark.parametrize("rings", ["redis"], indirect=True)
def test_a_workers_progress_is_live_on_the_server(running_server: LiveServer, work: Work) -> None:
    pack = imported(running_server, STATES)
    worker = work()
    run = begin(running_server, pack, delay_ms=50)
    assert once_each(seen_live(running_server, run))
    worker.terminate()
    assert worker.wait(120) == 0


@pytest.mark.parametrize("rings", ["nothing"], indirect=True)
def test_a_terminated_worker_releases_its_runs(running_server: LiveServer, work: Work) -> None:
    pack = imported(running_server, STATES)
    first = work()
    runs = [begin(running_server, pack, delay_ms=500) for _ in range(5)]
    while any(running_server.get(f"runs/{run}/")["last"] < 2 for run in runs):
        time.sleep(0.05)
    second = work()
    first.terminate()
    assert first.wait(120) == 0
    assert all(once_each(seen_live(running_server, run)) for run in runs)
    assert second.poll() is None
