"""Edges of the machine: a full disk, a folder that cannot be written, a locked database, a clock
that is set back. Each is reported, nothing is lost, and runs continue afterwards."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.db.backends.sqlite3.base import SQLiteCursorWrapper

from tests.support.live_server import LiveServer
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import runs
from workflows.api.errors import described
from workflows.core.engine.signals import Approve
from workflows.db import storage
from workflows.models import Job, Run
from workflows.runner import sandbox
from workflows.runner.queue import leases
from workflows.runner.worker import Worker
from workflows.runner.worker import worker as running_worker

ROOT = Path(__file__).resolve().parents[2]
WAITING = {"start": {"human": {"on": "done"}}, "done": {"end": "completed"}}
MIB = 1024 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 32 MiB, which only root can mount."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32m,mode=700", "tmpfs", str(place)]
    if not sys.platform.startswith("linux") or os.geteuid():
        pytest.skip("a small disk needs the right to mount one")
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def ready(server: LiveServer) -> tuple[int, dict[str, Any]]:
    try:
        with server.browser().open(f"{server.url}/readyz") as answer:
            return answer.status, json.loads(answer.read())
    except HTTPError as refused:
        with refused:
            return refused.code, json.loads(refused.read())


def status_of(server: LiveServer, run: str, *wanted: str) -> str:
    """The run's status, as soon as it is one of these."""
    until = time.monotonic() + 300
    while time.monotonic() < until:
        with suppress(HTTPError):
            if (status := server.get(f"runs/{run}/")["status"]) in wanted:
                return str(status)
        time.sleep(0.05)
    raise AssertionError(server.log[-2000:])


def fill(disk: Path) -> Path:
    """Use up all room of a disk."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(MIB))
    with filler.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))
    return filler


@pytest.mark.machine
def test_a_full_disk_is_reported_and_runs_continue_afterwards(small_disk: Path) -> None:
    server = LiveServer(small_disk)
    server.start()
    try:
        server.sign_in()
        pack = server.get("packs/")["results"][0]["id"]
        start = {"pack": pack, "driver": "rehearsal", "seed": 3, "delay_ms": 300}
        first = server.post("runs/", start)["id"]
        filler = fill(small_disk)
        code, body = ready(server)
        assert code == 503
        assert "full" in body["checks"]["storage"]
        answers = []
        for number in range(40):
            try:
                server.post("runs/", {**start, "seed": number, "inputs": {"x": "y" * 20_000}})
            except HTTPError as refused:
                with refused:
                    answers.append((refused.code, json.loads(refused.read())))
                break
        assert answers, "every start was stored on a full disk"
        assert answers[0][0] == 503
        assert "disk" in answers[0][1]["message"]
        filler.unlink()
        assert ready(server)[0] == 200
        assert status_of(server, first, "completed", "failed", "waiting", "budget_exhausted")
        events = server.get(f"runs/{first}/events/")
        numbers = [event["n"] for event in events.get("results", events.get("events", []))]
        assert numbers == list(range(1, len(numbers) + 1))
        again = server.post("runs/", start)["id"]
        assert status_of(server, again, "completed", "failed", "waiting", "budget_exhausted")
    finally:
        server.end(9)


@pytest.mark.machine
def test_a_read_only_folder_is_reported_at_the_start(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "signalbox", "serve", "--port", "0"],
        cwd=ROOT,
        env={**os.environ, "SIGNALBOX_DATA": str(small_disk / "data"), "SIGNALBOX_DATABASE": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2, done.stderr
    assert "cannot keep its data" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.django_db(transaction=True)
def test_a_server_that_cannot_write_is_not_ready(
    small_disk: Path, settings: Any, client: Any
) -> None:
    settings.DATA, settings.SIGNALBOX_WORKER = small_disk, "none"
    assert client.get("/readyz", headers={"host": "127.0.0.1"}).status_code == 200
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    answer = client.get("/readyz", headers={"host": "127.0.0.1"})
    assert answer.status_code == 503
    assert answer.json()["checks"]["storage"] == "The data folder cannot be written."


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """While it is set, SQLite refuses writes on every connection, as in a read-only folder. The
    folder of an open database cannot be mounted as read-only."""
    refused = threading.Event()
    execute = SQLiteCursorWrapper.execute
    writes = ("INSERT", "UPDATE", "DELETE", "REPLACE", "BEGIN IMMEDIATE")

    def checked(self: Any, query: str, params: Any = None) -> Any:
        if refused.is_set() and query.lstrip().upper().startswith(writes):
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return execute(self, query, params)

    monkeypatch.setattr(SQLiteCursorWrapper, "execute", checked)
    return refused


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
async def test_a_live_run_continues_after_the_folder_was_read_only(
    read_only: threading.Event,
) -> None:
    """Its wait ends while nothing can be written."""
    waits = {"start": {"wait": "next"}, "next": {"wait": "done"}, "done": {"end": "completed"}}
    pack = await sync_to_async(tiny_pack)(waits)
    worker = Worker()
    await worker.start()
    try:
        run = await sync_to_async(runs.start)(pack, driver="manual", options={})
        async with asyncio.timeout(120):
            while not await run.events.filter(type="run.waiting").aexists():
                await asyncio.sleep(0.02)
        read_only.set()
        stored = await run.events.acount()
        with pytest.raises(OperationalError) as refused:
            await sync_to_async(runs.start)(pack, driver="manual", options={})
        status, body = described(refused.value)
        assert (status, body["code"]) == (503, "storage")
        assert "cannot be written" in body["message"]
        await asyncio.sleep(3)
        assert await run.events.acount() == stored
        assert (await Run.objects.aget(pk=run.pk)).status == "waiting"
        read_only.clear()
        async with asyncio.timeout(120):
            while (await Run.objects.aget(pk=run.pk)).status != "completed":
                await asyncio.sleep(0.05)
    finally:
        read_only.clear()
        await worker.stop()
    numbers = [n async for n in run.events.values_list("n", flat=True)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert await run.events.filter(type="run.waiting").acount() == 2
    assert await Run.objects.acount() == 1


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OperationalError("attempt to write a readonly database"), "cannot be written"),
        (OperationalError("database or disk is full"), "disk of the database is full"),
        (OperationalError("unable to open database file"), "cannot be opened"),
        (OperationalError("disk I/O error"), "cannot be read or written"),
        (OSError(28, "No space left on device"), "disk of the data folder is full"),
        (OSError(30, "Read-only file system"), "cannot be written"),
    ],
)
def test_errors_of_the_disk_are_sentences(error: Exception, sentence: str) -> None:
    status, body = described(error)
    assert (status, body["code"]) == (503, "storage")
    assert sentence in body["message"]
    assert storage.storage_problem(ValueError("disk is full")) == ""


@pytest.mark.slow
def test_a_locked_database_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    """The lock is held for longer than any writer waits."""
    server = LiveServer(tmp_path)
    server.start()
    try:
        server.sign_in()
        pack = server.get("packs/")["results"][0]["id"]
        start = {"pack": pack, "driver": "rehearsal", "seed": 3, "delay_ms": 200}
        first = server.post("runs/", start)["id"]
        with closing(
            sqlite3.connect(tmp_path / "signalbox.sqlite3", isolation_level=None)
        ) as other:
            other.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            while time.monotonic() - began < 60:
                assert server.get("packs/")["results"], "reading goes on"
                with pytest.raises(HTTPError) as refused:
                    server.post("runs/", start)
                with refused.value:
                    assert refused.value.code == 503
                    assert "busy" in json.loads(refused.value.read())["message"]
            assert ready(server)[1]["checks"]["storage"] == (
                "The database is in use by another program."
            )
            other.execute("ROLLBACK")
        assert ready(server)[0] == 200
        assert status_of(server, first, "completed", "failed", "waiting", "budget_exhausted")
    finally:
        server.end(9)


# -- the clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the wall clock forward by a number of seconds."""
    real = time.time
    shift = [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + shift[0])

    def set_by(seconds: float) -> None:
        shift[0] += seconds

    return set_by


@pytest.mark.django_db(transaction=True)
async def test_runs_continue_when_the_clock_is_set_back_an_hour(clock: Any) -> None:
    """A run that became due before, one that waits for a time, and one that starts after."""
    waits = {"start": {"wait": "done"}, "done": {"end": "completed"}}
    pack, timed = await sync_to_async(tiny_pack)(WAITING), await sync_to_async(tiny_pack)(waits)
    before = await sync_to_async(runs.start)(pack, driver="manual", options={})
    asleep = await sync_to_async(runs.start)(timed, driver="manual", options={})
    clock(-3600)
    async with running_worker() as worker:
        async with asyncio.timeout(120):
            while (await Run.objects.aget(pk=asleep.pk)).status != "completed":
                await worker.run_until_idle()
            await sync_to_async(runs.signal)(before.pk, Approve(at=time.time(), event="on"))
            await worker.run_until_idle()
            clock(-3600)
            after = await sync_to_async(runs.start)(pack, driver="manual", options={})
            await worker.run_until_idle()
    assert (await Run.objects.aget(pk=before.pk)).status == "completed"
    assert (await Run.objects.aget(pk=after.pk)).status == "waiting"
    events = [n async for n in before.events.values_list("n", flat=True)]
    assert events == list(range(1, len(events) + 1))


@pytest.mark.django_db(transaction=True)
def test_a_lease_from_before_the_clock_was_set_back_does_not_hold_a_run() -> None:
    run = runs.start(tiny_pack(WAITING), driver="manual", options={})
    now = time.time()
    Job.objects.filter(run=run).update(due_at=now, worker="elsewhere:1:x", leased_until=now + 3600)
    assert run.pk in leases.free_runs(now=now)


# -- at rest


def test_the_data_folder_belongs_to_the_server_alone(tmp_path: Path) -> None:
    """New files, and those of an older version."""
    data = tmp_path / "data"
    data.mkdir()
    server = LiveServer(data)
    (data / "workspaces" / "old").mkdir(parents=True)
    for path in (data / "secret-key", data / "workspaces/old/notes"):
        path.write_text("older")
        path.chmod(0o644)
    for folder in (data, data / "workspaces", data / "workspaces/old"):
        folder.chmod(0o755)
    server.start()
    try:
        server.sign_in()
        pack = server.get("packs/")["results"][0]["id"]
        server.post("runs/", {"pack": pack, "driver": "rehearsal", "seed": 1})
        open_to_others = [
            f"{path} {stat.S_IMODE(path.lstat().st_mode):o}"
            for path in (data, *data.rglob("*"))
            if path.name != "server.log" and path.lstat().st_mode & 0o077
        ]
        assert open_to_others == []
        assert stat.S_IMODE((data / "signalbox.sqlite3").stat().st_mode) == 0o600
    finally:
        server.end(9)


# -- the log


@pytest.mark.parametrize(
    ("script", "timeout"),
    [("sleep 60", 0.3), ("exec yes", 20), ("setsid sleep 60 & echo", 5), ("sleep 60 & wait", 0.3)],
)
async def test_a_command_at_its_limit_leaves_no_traceback(
    script: str, timeout: float, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    await sandbox.run(("sh", "-c", script), folder=tmp_path, timeout=timeout)
    await asyncio.sleep(0)
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []
    assert caplog.records == []
