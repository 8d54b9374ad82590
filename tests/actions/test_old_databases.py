"""Databases of earlier programs: a server that starts on one migrates it and loses nothing.

`databases/DATE.sql` is a database that the program of that date wrote: packs with a renamed and a
moved state, unfinished runs, a connection with a key, a trigger and a memory.
`databases/DATE.key` is the key of its secrets.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.support.live_server import ROOT, LiveServer

KEY = (
    "import django; django.setup(); from workflows.models import Connection;"
    "from workflows.security.encryption import decrypt;"
    "print(decrypt(Connection.objects.get().sealed_key))"
)
DATABASES = Path(__file__).parent / "databases"
PAGES = (
    "/", "/runs/", "/packs/1/", "/roles/", "/roles/memory/", "/approvals/",
    "/settings/", "/packs/1/triggers/", "/repositories/",
)  # fmt: skip


@pytest.fixture(scope="module", params=sorted(path.stem for path in DATABASES.glob("*.sql")))
def old(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the database of this date."""
    data = tmp_path_factory.mktemp(request.param)
    with closing(sqlite3.connect(data / "signalbox.sqlite3")) as connection:
        connection.executescript((DATABASES / f"{request.param}.sql").read_text())
    shutil.copyfile(DATABASES / f"{request.param}.key", data / "secret-key")
    return data


@pytest.fixture(scope="module")
def server(old: Path) -> Iterator[LiveServer]:
    server = LiveServer(old)
    server.start()
    server.sign_in()
    yield server
    server.end(signal.SIGTERM)
    assert not server.complaints()


def rows(data: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(data / "signalbox.sqlite3")) as connection:
        return connection.execute(query).fetchall()


def test_every_revision_keeps_its_bytes(old: Path, server: LiveServer) -> None:
    revisions = rows(old, "SELECT pack_id, number, manifest FROM workflows_revision")
    assert len(revisions) > 5
    for pack, number, manifest in revisions:
        for path, digest in json.loads(manifest or "{}").items():
            text = server.get(f"packs/{pack}/files/?path={path}&revision={number}")["text"]
            assert hashlib.sha256(text.encode()).hexdigest() == digest


def test_places_and_edits_are_kept(server: LiveServer) -> None:
    states = {state["id"]: state for state in server.get("packs/1/graph/")["states"]}
    assert (states["opening"]["x"], states["opening"]["y"]) == (40, 60)
    server.post("packs/1/undo/", {"base": 4})


def test_pages_open(old: Path, server: LiveServer) -> None:
    runs = [f"/runs/{UUID(id)}/" for (id,) in rows(old, "SELECT id FROM workflows_run")]
    for page in (*PAGES, *runs):
        with server.browser().open(server.url + page) as answer:
            assert answer.status == 200, page


def test_unfinished_runs_continue(old: Path, server: LiveServer) -> None:
    """The events of then stay, and a rehearsal goes on to its end."""
    before = rows(old, "SELECT id, last, driver FROM workflows_run")
    assert {driver for _, _, driver in before} == {"rehearsal", "manual"}
    for id, last, driver in before:
        wanted = "completed" if driver == "rehearsal" else "waiting"
        deadline = time.monotonic() + 60
        while (run := server.get(f"runs/{UUID(id)}/"))["status"] != wanted:
            assert time.monotonic() < deadline, run
        assert run["last"] >= last


def test_settings_are_kept(old: Path, server: LiveServer) -> None:
    assert [one["name"] for one in server.get("connections/")] == ["local"]
    assert [one["name"] for one in server.get("packs/1/triggers/")] == ["nightly"]
    assert "Tests run with make test." in str(server.get("memories/"))
    shown = subprocess.run(
        [sys.executable, "-c", KEY], env=server.env, cwd=ROOT, capture_output=True, check=True
    )
    assert shown.stdout.decode().strip() == "key-of-then"
