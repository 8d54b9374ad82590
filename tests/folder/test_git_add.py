"""`git add` in an opened folder never meets an incomplete file of Signalbox."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from tests.support.git_program import ENVIRONMENT, init
from tests.support.opened_folder import FIRST, MAIN, add, opened_folder, pack_of
from workflows.folder import disk
from workflows.selectors.sources import opened

pytestmark = pytest.mark.django_db


def test_git_adds_while_files_are_written(tmp_path: Path) -> None:
    root, staging = tmp_path / "root", tmp_path / "staging"
    repository = init(root)
    repository.commit({f"part-{n}.md": b"0" for n in range(8)})
    ended, failures = threading.Event(), []

    def write() -> None:
        versions = {f"part-{n}.md": b"0" for n in range(8)}
        number = 0
        while not ended.is_set():
            number += 1
            for path, before in versions.items():
                data = b"%d" % number
                disk.write(root, path, data, before, staging)
                versions[path] = data

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(60):
            done = subprocess.run(
                ["git", "add", "--all"], cwd=root, env=ENVIRONMENT, capture_output=True, check=False
            )
            if done.returncode:
                failures.append(done.stderr.decode())
    finally:
        ended.set()
        thread.join()
    assert failures == []
    assert sorted(repository.git("ls-files").split()) == [f"part-{n}.md" for n in range(8)]
    assert list(staging.iterdir()) == []


def test_a_child_that_starts_during_a_write_is_no_other_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a copy of the handle of the incomplete file, for as long as it takes to start."""
    place = tmp_path / "part.md"
    place.write_bytes(b"0")
    children, real = [], os.fsync

    def fsync(handle: int) -> None:
        children.append(subprocess.Popen(["sleep", "0.5"], pass_fds=(handle,)))
        real(handle)

    monkeypatch.setattr(disk.os, "fsync", fsync)
    for before, after in ((b"0", b"1"), (b"1", b"2")):
        disk.write(tmp_path, "part.md", after, before, tmp_path / "staging")
    assert place.read_bytes() == b"2"
    assert [child.wait() for child in children] == [0, 0]


def test_a_pack_is_written_through_the_folder_for_incomplete_files(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / MAIN).write_bytes(FIRST)
    sync = opened_folder(root)
    sync.scan()
    add(sync, "Mine")
    sync.exchange()
    assert (root / MAIN).read_bytes() == opened(pack_of(sync)).files[MAIN]
    assert sync.staging.is_dir()
    assert list(sync.staging.iterdir()) == []


def test_a_version_that_a_killed_process_left_outside_is_cleaned_up(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / MAIN).write_bytes(FIRST)
    sync = opened_folder(root)
    sync.scan()
    known, unknown = sync.staging / ".signalbox-a", sync.staging / ".signalbox-b"
    sync.staging.mkdir(exist_ok=True)
    known.write_bytes(FIRST)
    unknown.write_bytes(b"the save of another program")
    opened_folder(root).scan()
    assert not known.exists()
    assert unknown.exists()
