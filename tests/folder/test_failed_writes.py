"""Files of an opened folder that cannot be written: the edit is kept, and the reason is shown."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.opened_folder import FIRST, MAIN, add, opened_folder, pack_of
from workflows.folder import disk, sync
from workflows.folder.sync import FolderSync

pytestmark = pytest.mark.django_db
MOUNTS = os.geteuid() == 0 and shutil.which("mount") is not None


def run(*command: str | Path) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mounts something on a path; skips where that is not allowed."""
    places: list[Path] = []

    def mount(place: Path, *options: str) -> Path:
        if not MOUNTS or not run("mount", *options, place):
            pytest.skip("this machine does not let the tests mount a file system")
        places.append(place)
        return place

    yield mount
    for place in reversed(places):
        run("umount", place)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "FIRST_PAUSE", 0.0)


def begin(root: Path) -> FolderSync:
    root.mkdir(exist_ok=True)
    (root / MAIN).write_bytes(FIRST)
    made = opened_folder(root)
    made.scan()
    return made


def written(sync: FolderSync) -> tuple[bool, str]:
    """True if the newest revision is on disk, and the problem that is shown."""
    pack = pack_of(sync)
    return pack.written == pack.head, pack.unwritten


def test_a_failed_write_is_not_recorded_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = begin(tmp_path / "here")
    place = synced.root / MAIN
    assert written(synced) == (True, "")
    with monkeypatch.context() as refused:

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        refused.setattr(disk, "write", refuse)
        add(synced, "Mine")
        synced.exchange()
        assert written(synced) == (False, f"{MAIN} cannot be written: Permission denied.")
        synced.exchange()
        assert not written(synced)[0]
    synced.exchange()
    assert b"Mine" in place.read_bytes()
    assert written(synced) == (True, "")


def test_an_unwritten_edit_survives_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = begin(tmp_path / "here")
    add(synced, "Mine")
    with monkeypatch.context() as refused:

        def refuse(*_: object) -> None:
            raise OSError(28, "No space left on device")

        refused.setattr(disk, "write", refuse)
        synced.exchange()
        assert (synced.root / MAIN).read_bytes() == FIRST
    head = pack_of(synced).head
    again = opened_folder(synced.root)
    again.scan()
    assert pack_of(again).head == head
    assert b"Mine" in (synced.root / MAIN).read_bytes()
    assert written(again) == (True, "")


@pytest.mark.machine
def test_an_immutable_file_is_named_and_tried_again(tmp_path: Path) -> None:
    synced = begin(tmp_path / "here")
    place = synced.root / MAIN
    if not run("chattr", "+i", place):
        pytest.skip("this file system has no immutable files")
    try:
        add(synced, "Mine")
        synced.exchange()
        assert place.read_bytes() == FIRST
        assert written(synced) == (False, f"{MAIN} cannot be written: Operation not permitted.")
    finally:
        run("chattr", "-i", place)
    synced.exchange()
    assert b"Mine" in place.read_bytes()
    assert written(synced) == (True, "")


@pytest.mark.machine
def test_a_read_only_folder(tmp_path: Path, mounted: Callable[..., Path]) -> None:
    root = tmp_path / "here"
    root.mkdir()
    mounted(root, "-t", "tmpfs", "tmpfs")
    synced = begin(root)
    run("mount", "-o", "remount,ro", root)
    add(synced, "Mine")
    synced.exchange()
    assert written(synced) == (False, f"{MAIN} cannot be written: Read-only file system.")
    run("mount", "-o", "remount,rw", root)
    synced.exchange()
    assert b"Mine" in (root / MAIN).read_bytes()
    assert written(synced) == (True, "")


@pytest.mark.machine
def test_a_full_disk_keeps_the_old_file(tmp_path: Path, mounted: Callable[..., Path]) -> None:
    root = tmp_path / "here"
    root.mkdir()
    mounted(root, "-t", "tmpfs", "-o", "size=64k", "tmpfs")
    synced = begin(root)
    filler = root / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 1024)
    add(synced, "Mine")
    synced.exchange()
    assert (root / MAIN).read_bytes() == FIRST
    assert written(synced) == (False, f"{MAIN} cannot be written: No space left on device.")
    assert sorted(path.name for path in root.iterdir()) == [MAIN, "filler"]
    filler.unlink()
    synced.exchange()
    assert b"Mine" in (root / MAIN).read_bytes()
    assert written(synced) == (True, "")


@pytest.mark.machine
def test_a_file_that_is_mounted_by_itself_is_written_in_place(
    tmp_path: Path, mounted: Callable[..., Path]
) -> None:
    outside, root = tmp_path / "outside", tmp_path / "here"
    root.mkdir()
    outside.write_bytes(FIRST)
    (root / MAIN).write_bytes(b"")
    mounted(root / MAIN, "--bind", outside)
    synced = begin(root)
    add(synced, "Mine")
    synced.exchange()
    assert b"Mine" in outside.read_bytes()
    assert written(synced) == (True, "")
    assert [path.name for path in root.iterdir()] == [MAIN]


def test_a_write_in_place_that_fails_restores_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, real = tmp_path / MAIN, os.fsync
    place.write_bytes(b"before")
    left = [OSError(28, "No space left on device")]

    def fail_once(handle: int) -> None:
        if left:
            raise left.pop()
        real(handle)

    monkeypatch.setattr(os, "fsync", fail_once)
    with pytest.raises(OSError, match="No space left"):
        disk.write_in_place(place, b"a longer text", b"before")
    assert place.read_bytes() == b"before"


def test_a_file_that_cannot_be_read_stops_no_other_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "here"
    root.mkdir()
    (root / "b.flow.json").write_bytes(FIRST.replace(b"Tiny", b"Other"))
    synced = begin(root)
    real = disk.content

    def refuse(where: Path, path: str) -> bytes | None:
        if path == MAIN:
            raise PermissionError(13, "Permission denied")
        return real(where, path)

    monkeypatch.setattr(disk, "content", refuse)
    add(synced, "Mine", "b.flow.json")
    synced.exchange()
    assert b"Mine" in (root / "b.flow.json").read_bytes()
    assert pack_of(synced).unwritten == f"{MAIN} cannot be read: Permission denied."
