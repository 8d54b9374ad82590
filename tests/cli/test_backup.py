"""Backups of a loaded server, their restore, moves between databases, and copies of the file."""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from signalbox.cli import main
from tests.support.checks import quick_and_slow
from tests.support.database_servers import empty_database
from tests.support.live_server import LiveServer
from tests.support.server_commands import command
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.run import FINISHED
from workflows.installation import version

RUNS = 12
PAUSE = 0.02
"""Seconds between two looks at a database."""
CHANGED = ("rows/workflows_milestone.jsonl", "rows/workflows_workerheartbeat.jsonl")
"""Tables that a backup or a worker changes by itself."""


def rows_of(backup: Path) -> dict[str, list[str]]:
    """Table → its rows in a fixed order: databases sort texts differently, and `jsonb` of
    PostgreSQL sorts keys. Content types and permissions of the delivery queue exist there only."""
    with zipfile.ZipFile(backup) as archive:
        return {
            name: sorted(
                json.dumps(json.loads(line), sort_keys=True)
                for line in archive.read(name).splitlines()
                if b"procrastinate" not in line
            )
            for name in archive.namelist()
            if name.startswith("rows/") and name not in CHANGED
        }


def table(backup: Path, name: str) -> list[dict[str, Any]]:
    """The rows of one table."""
    with zipfile.ZipFile(backup) as archive:
        fields = json.loads(archive.read("manifest.json"))["tables"][name]["fields"]
        lines = archive.read(f"rows/{name}.jsonl").splitlines()
    return [dict(zip(fields, json.loads(line), strict=True)) for line in lines]


def events_of(backup: Path) -> dict[str, list[Event]]:
    """Run → its events."""
    logs: dict[str, list[Event]] = {row["id"]: [] for row in table(backup, "workflows_run")}
    for row in table(backup, "workflows_runevent"):
        event = Event(n=row["n"], at=row["at"], type=row["type"], fields=row["fields"])
        logs[row["run_id"]].append(event)
    return logs


def assert_of_one_moment(backup: Path) -> None:
    """Each run's row is the fold of its events, which are numbered without a gap."""
    rows = {row["id"]: row for row in table(backup, "workflows_run")}
    for run, events in events_of(backup).items():
        assert [event.n for event in events] == list(range(1, rows[run]["last"] + 1))
        assert fold_all(events).status == rows[run]["status"]


@pytest.fixture
def loaded(tmp_path: Path) -> Iterator[LiveServer]:
    """A server at work on runs."""
    (tmp_path / "first").mkdir()
    server = LiveServer(tmp_path / "first")
    server.start()
    server.sign_in()
    start_runs(server, RUNS)
    yield server
    if server.process is not None:
        server.end(signal.SIGKILL)


def start_runs(server: LiveServer, number: int) -> None:
    packs = server.get("packs/?limit=100")["results"]
    for seed in range(number):
        pack = packs[seed % len(packs)]["id"]
        body = {"pack": pack, "driver": "rehearsal", "seed": seed, "delay_ms": 30}
        server.post("runs/", body)


def wait_for_events(server: LiveServer, number: int) -> None:
    """Wait until the server has stored this number of events, or has no run at work."""
    with closing(sqlite3.connect(server.data / "signalbox.sqlite3")) as database:
        while database.execute("SELECT count(*) FROM workflows_runevent").fetchone()[0] < number:
            if not database.execute("SELECT count(*) FROM workflows_job").fetchone()[0]:
                return
            time.sleep(PAUSE)


def wait_for_runs(server: LiveServer) -> None:
    """Wait until every run has ended or waits for a person."""
    with closing(sqlite3.connect(server.data / "signalbox.sqlite3")) as database:
        while database.execute("SELECT count(*) FROM workflows_job").fetchone()[0]:
            time.sleep(PAUSE)


@pytest.mark.sqlite
@pytest.mark.parametrize("moments", quick_and_slow([1], [20]))
def test_a_backup_of_a_loaded_server_is_of_one_moment(
    loaded: LiveServer, tmp_path: Path, moments: int
) -> None:
    chance = random.Random(moments)
    backups = []
    for number in range(moments):
        wait_for_events(loaded, chance.randrange(40 * number, 40 * (number + 1)))
        backup = tmp_path / f"{number}.zip"
        made = command(loaded.data, "backup", backup)
        assert made.code == 0, made.err
        backups.append(backup)
        start_runs(loaded, 2)
    wait_for_runs(loaded)
    last = tmp_path / "last.zip"
    assert command(loaded.data, "backup", last).code == 0
    complete = events_of(last)

    for backup in backups:
        assert_of_one_moment(backup)
        for run, events in events_of(backup).items():
            assert events == complete[run][: len(events)]

        other = tmp_path / f"restored-{backup.stem}"
        restored = command(other, "restore", backup)
        assert restored.code == 0, restored.err
        again = tmp_path / f"again-{backup.name}"
        assert command(other, "backup", again).code == 0
        assert rows_of(again) == rows_of(backup)

    server = LiveServer(other)
    try:
        server.start()
        server.sign_in()
        wait_for_runs(server)
        ended = {run["status"] for run in server.get("runs/?limit=100")["results"]}
        assert ended <= {*FINISHED, "waiting", "paused"}
    finally:
        server.end(signal.SIGKILL)


@pytest.mark.sqlite
def test_a_database_in_use_is_kept_and_a_copy_of_its_file_is_whole_after_a_stop(
    loaded: LiveServer, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "copy.zip"
    assert command(loaded.data, "backup", first).code == 0
    refusals = (
        ("restore", first, "--force"),
        ("move", "--to", "postgresql://nobody@127.0.0.1:1/none"),
        ("keys", "rotate"),
    )
    for refusal in refusals:
        refused = command(loaded.data, *refusal)
        assert refused.code == 2
        assert "Stop the server and all workers first." in refused.err
    wait_for_events(loaded, 60)
    loaded.stop()
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copyfile(loaded.data / "signalbox.sqlite3", copy / "signalbox.sqlite3")
    first.unlink()
    assert command(loaded.data, "backup", first).code == 0
    assert command(copy, "backup", second).code == 0
    assert rows_of(first) == rows_of(second)
    assert len(table(second, "workflows_runevent")) >= 60


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The data folder of a server that was started once."""
    (tmp_path / "small").mkdir()
    server = LiveServer(tmp_path / "small", SIGNALBOX_WORKER="none")
    server.start()
    try:
        server.sign_in()
        connection = {"name": "work", "kind": "openai", "key": "a key of a provider"}
        server.post("connections/", connection)
    finally:
        server.end(signal.SIGTERM)
    workspace = server.data / "workspaces" / "one"
    (workspace / "empty").mkdir(parents=True)
    (workspace / "script.sh").write_text("true\n")
    (workspace / "script.sh").chmod(0o700)
    (workspace / "link").symlink_to("script.sh")
    return server.data


@pytest.fixture
def backup(small: Path, tmp_path: Path) -> Path:
    path = tmp_path / "small.zip"
    made = command(small, "backup", path)
    assert made.code == 0, made.err
    return path


@pytest.mark.sqlite
def test_key_and_workspaces_are_restored_and_a_new_key_reads_what_the_old_one_encrypted(
    small: Path, backup: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    restored = command(other, "restore", backup)
    assert (restored.code, restored.err) == (0, "")
    assert (other / "secret-key").read_bytes() == (small / "secret-key").read_bytes()
    workspace = other / "workspaces" / "one"
    assert (workspace / "script.sh").stat().st_mode & 0o777 == 0o700
    assert (workspace / "link").readlink() == Path("script.sh")
    assert (workspace / "empty").is_dir()
    assert backup.stat().st_mode & 0o777 == 0o600

    full = command(other, "restore", backup)
    assert full.code == 2
    assert "packs and 0 runs" in full.err

    before = (small / "secret-key").read_text()
    rotated = command(small, "keys", "rotate")
    assert (rotated.code, rotated.err) == (0, "")
    assert "1 stored secrets are encrypted with the new key" in rotated.out
    after = (small / "secret-key").read_text()
    assert after != before
    assert not (small / "secret-key.old").exists()
    path = tmp_path / "rotated.zip"
    assert command(small, "backup", path, "--without-key").code == 0
    forced = command(other, "restore", path, "--force", SIGNALBOX_SECRET_KEY=after)
    assert (forced.code, forced.err) == (0, "")
    (replaced,) = other.glob("replaced-*")
    assert (replaced / "signalbox.sqlite3").exists()


@pytest.mark.slow
@pytest.mark.sqlite
def test_secrets_that_are_lost_with_the_key_are_named(small: Path, tmp_path: Path) -> None:
    keyless = tmp_path / "keyless.zip"
    assert "no secret key" in command(small, "backup", keyless, "--without-key").out
    restored = command(tmp_path / "other", "restore", keyless)
    assert restored.code == 0
    assert "1 stored secrets cannot be read" in restored.err
    assert "connection 'work'" in restored.err


@pytest.mark.sqlite
def test_files_that_are_no_whole_backup_are_refused(backup: Path, tmp_path: Path) -> None:
    whole = backup.read_bytes()
    middle = whole.index(b"workflows_revision") + 400
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    wrong = {
        "flipped": flipped,
        "cut": whole[: len(whole) // 2],
        "text": b"This is no backup.",
        "empty": b"",
    }
    for name, content in wrong.items():
        path = tmp_path / f"{name}.zip"
        path.write_bytes(content)
        other = tmp_path / name
        refused = command(other, "restore", path)
        assert refused.code == 2, name
        assert "is damaged, or is no backup of Signalbox" in refused.err
        assert not (other / "signalbox.sqlite3").exists()


@pytest.mark.sqlite
def test_a_backup_of_a_newer_version_is_refused(backup: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer.zip"
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(newer, "w") as new:
        for name in old.namelist():
            body = old.read(name)
            if name == "manifest.json":
                manifest = json.loads(body)
                manifest["version"] = "9.8.7"
                manifest["migrations"].append(["workflows", "9999_future"])
                body = json.dumps(manifest).encode()
            new.writestr(name, body)
    refused = command(tmp_path / "other", "restore", newer)
    assert refused.code == 2
    assert "9.8.7" in refused.err
    assert "workflows.9999_future" in refused.err


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.parametrize("point", quick_and_slow(["new key"], ["old key"]))
def test_a_rotation_that_was_interrupted_is_completed(small: Path, point: str) -> None:
    before = (small / "secret-key").read_text()
    (small / "secret-key.old").write_text(before)
    if point == "new key":
        (small / "secret-key").write_text("a key that was made before the process was killed")
    rotated = command(small, "keys", "rotate")
    assert (rotated.code, rotated.err) == (0, "")
    assert (small / "secret-key").read_text() != before


@pytest.mark.sqlite
def test_the_database_is_copied_before_it_is_migrated(small: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(small / "signalbox.sqlite3")) as database, database:
        database.execute("DROP TABLE account_emailconfirmation")
        database.execute("DROP TABLE account_emailaddress")
        database.execute("DELETE FROM django_migrations WHERE app = 'account'")
        packs = database.execute("SELECT count(*) FROM workflows_pack").fetchone()[0]
    migrated = command(small, "prune", "--days", "9000")
    assert migrated.code == 0, migrated.err
    (copy,) = small.glob("before-migration-*.zip")
    assert str(copy) in migrated.err
    other = tmp_path / "other"
    assert command(other, "restore", copy).code == 0
    with closing(sqlite3.connect(other / "signalbox.sqlite3")) as database:
        assert database.execute("SELECT count(*) FROM workflows_pack").fetchone()[0] == packs
    assert command(small, "prune", "--days", "9000").err == ""


@pytest.mark.slow
@pytest.mark.sqlite
def test_a_server_works_together_with_the_next_minor_version_only(small: Path) -> None:
    """As on a rolling update: a later version has migrated the database of this program."""
    major, minor, _ = version().split(".")
    database = small / "signalbox.sqlite3"
    with closing(sqlite3.connect(database)) as rows, rows:
        rows.execute("ALTER TABLE workflows_run ADD COLUMN later varchar(9) NOT NULL DEFAULT ''")
        rows.execute("ALTER TABLE workflows_pack ADD COLUMN later integer NOT NULL DEFAULT 0")
        applied = "('workflows', '9999_later', datetime())"
        rows.execute(f"INSERT INTO django_migrations (app, name, applied) VALUES {applied}")

    def migrated_by(writer: str) -> None:
        with closing(sqlite3.connect(database)) as rows, rows:
            rows.execute("DELETE FROM workflows_milestone WHERE kind = 'migration'")
            row = ("migration", writer, "2026-11-27 00:00:00")
            rows.execute(
                "INSERT INTO workflows_milestone (kind, version, at) VALUES (?, ?, ?)", row
            )

    migrated_by(f"{major}.{int(minor) + 1}.0")
    server = LiveServer(small)
    try:
        server.start()
        server.sign_in()
        start_runs(server, 2)
        wait_for_runs(server)
        with urlopen(f"{server.url}/readyz") as answer:
            assert answer.status == 200
        migrated_by(f"{major}.{int(minor) + 2}.0")
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{server.url}/readyz")
        with refused.value as answer:
            assert f"Signalbox {major}.{int(minor) + 2}.0" in answer.read().decode()
        server.stop()
    finally:
        if server.process is not None:
            server.end(signal.SIGKILL)
    for arguments in (("serve", "--port", "0"), ("worker",), ("backup", small / "file.zip")):
        refusal = command(small, *arguments)
        assert refusal.code == 2
        assert f"this version ({version()}) does not know" in refusal.err


def test_an_empty_folder_is_not_backed_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = command(tmp_path / "typing-error", "backup", tmp_path / "file.zip")
    assert made.code == 2
    assert "There is no installation in" in made.err
    assert not (tmp_path / "file.zip").exists()
    with pytest.raises(SystemExit):
        main(["keys", "turn"])


@pytest.mark.postgresql
def test_a_database_moves_to_postgresql_and_back(loaded: LiveServer, tmp_path: Path) -> None:
    with empty_database() as database:
        wait_for_events(loaded, 60)
        loaded.stop()
        first, second, third = (tmp_path / f"{n}.zip" for n in range(3))
        assert command(loaded.data, "backup", first).code == 0
        there = command(loaded.data, "move", "--to", database)
        assert there.code == 0, there.err
        address = {"SIGNALBOX_DATABASE": database}
        assert command(loaded.data, "backup", second, **address).code == 0
        assert rows_of(first) == rows_of(second)

        full = command(loaded.data, "move", "--to", "sqlite", **address)
        assert full.code == 2
        back = command(loaded.data, "move", "--to", "sqlite", "--force", **address)
        assert back.code == 0, back.err
        assert command(loaded.data, "backup", third).code == 0
        assert rows_of(first) == rows_of(third)


@pytest.mark.slow
@pytest.mark.postgresql
def test_a_backup_of_a_loaded_server_on_postgresql_is_of_one_moment(tmp_path: Path) -> None:
    with empty_database() as database:
        address = {"SIGNALBOX_DATABASE": database}
        server = LiveServer(tmp_path, SIGNALBOX_WORKER="embedded", **address)
        try:
            server.start()
            server.sign_in()
            start_runs(server, RUNS)
            at_work = tmp_path / "at-work.zip"
            assert command(tmp_path, "backup", at_work, **address).code == 0
        finally:
            server.end(signal.SIGKILL)
        assert_of_one_moment(at_work)
        assert len(events_of(at_work)) == RUNS
