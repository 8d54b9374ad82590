"""An opened folder: canvas edits and changes on disk, in any order."""

from __future__ import annotations

import os
import sys
import threading
import unicodedata
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.support.opened_folder import FIRST, MAIN, add, opened_folder, pack_of
from workflows.actions import cases, packs
from workflows.core.pack.edits import SetField
from workflows.folder import disk
from workflows.folder.sync import FolderSync
from workflows.selectors.changes import change
from workflows.selectors.sources import opened

pytestmark = pytest.mark.django_db


def test_an_edit_is_written_with_the_mode_kept(sync: FolderSync) -> None:
    place = sync.root / MAIN
    place.chmod(0o640)
    add(sync, "Mine")
    sync.exchange()
    assert b"Mine" in place.read_bytes()
    assert place.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in sync.root.iterdir()] == [MAIN]


def test_files_that_cannot_be_read_or_stored_are_named_once(
    sync: FolderSync, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = {sync.root / "shut", sync.root / "closed.flow.json"}
    (sync.root / "shut").mkdir()
    (sync.root / "closed.flow.json").write_bytes(FIRST)

    def refused(real: Callable[..., Any], refusal: Any) -> Callable[..., Any]:
        """Root reads files and folders of every mode."""
        return lambda path, *more: refusal() if Path(path) in closed else real(path, *more)

    def refuse() -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "access", refused(os.access, bool))
    monkeypatch.setattr(os, "scandir", refused(os.scandir, refuse))
    monkeypatch.setattr(Path, "read_bytes", refused(Path.read_bytes, refuse))
    decomposed = unicodedata.normalize("NFD", f"\u00e9{MAIN}")
    for name in (decomposed, os.fsdecode(b"caf\xe9.flow.json")):
        (sync.root / name).write_bytes(FIRST)
    sync.scan()
    sync.scan()
    assert set(sync.tracked) == {pack_of(sync).pk}
    assert len(caplog.messages) == 4
    assert "'shut' is left out: shut cannot be read. Change its permissions." in caplog.text
    assert "'closed.flow.json' is left out: closed.flow.json cannot be read" in caplog.text
    assert "is left out: The name is in decomposed Unicode (NFD)" in caplog.text
    assert "'caf\\udce9.flow.json' is left out: The name is not UTF-8" in caplog.text


def test_both_sides_are_merged_and_undo_spans_both(sync: FolderSync) -> None:
    place = sync.root / MAIN
    add(sync, "Mine")
    place.write_bytes(FIRST.replace(b"One", b"Outside"))
    sync.scan()
    assert b"Mine" in place.read_bytes()
    assert b"Outside" in place.read_bytes()
    pack = pack_of(sync)
    packs.undo(pack.pk, pack.head, sync.person)
    sync.exchange()
    assert b"Outside" not in place.read_bytes()
    assert b"Mine" in place.read_bytes()
    packs.undo(pack.pk, pack_of(sync).head, sync.person)
    sync.exchange()
    assert place.read_bytes() == FIRST


def test_a_write_just_before_the_rename_is_not_replaced(
    sync: FolderSync, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, real, late = sync.root / MAIN, disk._require, [b"Late"]

    def outside_first(root: Path, path: str, expected: bytes | None) -> None:
        if late:
            place.write_bytes(FIRST.replace(b"One", late.pop()))
        real(root, path, expected)

    monkeypatch.setattr(disk, "_require", outside_first)
    add(sync, "Mine")
    sync.exchange()
    assert place.read_bytes() == FIRST.replace(b"One", b"Late")
    sync.exchange()
    assert b"Late" in place.read_bytes()
    assert b"Mine" in place.read_bytes()


def save_by_rename(place: Path, title: bytes) -> None:
    """Save as most editors do."""
    made = place.with_name("editor.tmp")
    made.write_bytes(FIRST.replace(b"One", title))
    made.replace(place)


class Between:
    """Calls of an editor that are made right before each exchange of two files."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *calls: Callable[[], None]) -> None:
        self.calls, self.real = list(calls), disk.exchange
        monkeypatch.setattr(disk, "exchange", self)

    def __call__(self, one: Path, other: Path) -> bool:
        if self.calls:
            self.calls.pop(0)()
        return self.real(one, other)


@pytest.mark.machine
@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot exchange two files")
@pytest.mark.parametrize("saves", [1, 2, 3])
def test_a_save_between_the_comparison_and_the_rename_stays(
    sync: FolderSync, monkeypatch: pytest.MonkeyPatch, saves: int
) -> None:
    place = sync.root / MAIN
    titles = [b"First", b"Second", b"Third"][:saves]
    between = Between(monkeypatch, *(partial(save_by_rename, place, title) for title in titles))
    add(sync, "Mine")
    sync.exchange()
    assert between.calls == []
    assert place.read_bytes() == FIRST.replace(b"One", titles[-1])
    sync.exchange()
    assert titles[-1] in place.read_bytes()
    assert b"Mine" in place.read_bytes()
    assert [path.name for path in sync.root.iterdir()] == [MAIN]


@pytest.mark.machine
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list writers")
@pytest.mark.parametrize("opened_late", [False, True])
def test_a_file_that_another_process_is_writing_is_left_until_it_is_closed(
    sync: FolderSync, monkeypatch: pytest.MonkeyPatch, opened_late: bool
) -> None:
    place = sync.root / MAIN
    writers: list[BinaryIO] = []

    def begin() -> None:
        writers.append(place.open("r+b"))

    if opened_late:
        Between(monkeypatch, begin)
    else:
        begin()
    add(sync, "Mine")
    sync.exchange()
    assert place.read_bytes() == FIRST
    (writer,) = writers
    writer.write(FIRST.replace(b"One", b"Two"))
    writer.close()
    sync.exchange()
    assert b'"Two"' in place.read_bytes()
    assert b"Mine" in place.read_bytes()


def test_a_file_that_appears_before_it_is_made_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = disk._require

    def outside_first(root: Path, path: str, expected: bytes | None) -> None:
        real(root, path, expected)
        (tmp_path / "new.txt").write_bytes(b"outside")

    monkeypatch.setattr(disk, "_require", outside_first)
    with pytest.raises(disk.Changed):
        disk.write(tmp_path, "new.txt", b"ours", None)
    assert contents_of(tmp_path) == {"new.txt": b"outside"}


def test_a_file_that_is_saved_before_it_is_deleted_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, real = tmp_path / "old.txt", disk._require
    place.write_bytes(b"known")

    def outside_first(root: Path, path: str, expected: bytes | None) -> None:
        real(root, path, expected)
        place.write_bytes(b"outside")

    monkeypatch.setattr(disk, "_require", outside_first)
    with pytest.raises(disk.Changed):
        disk.write(tmp_path, "old.txt", None, b"known")
    assert contents_of(tmp_path) == {"old.txt": b"outside"}


def test_a_system_without_exchange_writes_by_rename(
    sync: FolderSync, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "exchange", lambda one, other: False)
    monkeypatch.setattr(disk, "has_writer", lambda place: False)
    add(sync, "Mine")
    sync.exchange()
    assert b"Mine" in (sync.root / MAIN).read_bytes()
    assert [path.name for path in sync.root.iterdir()] == [MAIN]


def contents_of(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.iterdir()}


def test_a_file_of_an_ended_write_is_deleted_if_the_history_has_it(sync: FolderSync) -> None:
    add(sync, "Mine")
    sync.exchange()
    (sync.root / f"{disk.PREFIX}known").write_bytes(FIRST)
    (sync.root / f"{disk.PREFIX}unknown").write_bytes(b"a save that is nowhere else")
    opened_folder(sync.root).scan()
    assert {path.name for path in sync.root.iterdir()} == {MAIN, f"{disk.PREFIX}unknown"}


def test_saves_of_an_editor_during_many_writes_stay(sync: FolderSync) -> None:
    place, stop = sync.root / MAIN, threading.Event()
    titles: list[bytes] = []

    def edit() -> None:
        while not stop.is_set():
            titles.append(b"Editor%d" % len(titles))
            save_by_rename(place, titles[-1])

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        for number in range(20):
            add(sync, f"Canvas{number}")
            sync.exchange()
    finally:
        stop.set()
        editor.join()
    sync.exchange()
    assert titles[-1] in place.read_bytes()
    assert dict(opened(pack_of(sync)).files) == {MAIN: place.read_bytes()}


def test_an_edit_that_a_killed_process_did_not_write_is_written_by_the_next(
    sync: FolderSync,
) -> None:
    add(sync, "Mine")
    later = opened_folder(sync.root)
    later.scan()
    assert b"Mine" in (sync.root / MAIN).read_bytes()


def test_an_edit_that_was_not_written_is_merged_with_a_later_change_on_disk(
    sync: FolderSync,
) -> None:
    add(sync, "Mine")
    (sync.root / MAIN).write_bytes(FIRST.replace(b"One", b"Outside"))
    opened_folder(sync.root).scan()
    text = (sync.root / MAIN).read_bytes()
    assert b"Mine" in text
    assert b"Outside" in text


def test_a_conflict_is_a_notice_and_undo_brings_the_edit_back(sync: FolderSync) -> None:
    place, start = sync.root / MAIN, pack_of(sync).head
    edit = SetField(element="state:A", field="/title", value="Mine")
    packs.edit(pack_of(sync).pk, start, (edit,), sync.person)
    place.write_bytes(FIRST.replace(b"One", b"Theirs"))
    sync.scan()
    pack = pack_of(sync)
    assert b'"Theirs"' in place.read_bytes()
    notice = change(pack, start, sync.person).notice
    assert notice == f"Change in the folder, in the same place as revision {start + 1}: {MAIN}:5"
    assert change(pack, pack.head, sync.person).notice == ""
    packs.undo(pack.pk, pack.head, sync.person)
    sync.exchange()
    assert b'"Mine"' in place.read_bytes()


def test_an_older_version_checked_out_between_two_processes_stays(sync: FolderSync) -> None:
    add(sync, "Mine")
    sync.exchange()
    (sync.root / MAIN).write_bytes(FIRST)
    later = opened_folder(sync.root)
    later.scan()
    assert (sync.root / MAIN).read_bytes() == FIRST
    pack = pack_of(later)
    packs.undo(pack.pk, pack.head, later.person)
    later.exchange()
    assert b"Mine" in (sync.root / MAIN).read_bytes()


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (other / "x").write_bytes(b"kept")
    (root / "link").symlink_to(other)
    with pytest.raises(disk.Outside):
        disk.write(root, "link/x", b"lost", b"kept")
    assert (other / "x").read_bytes() == b"kept"


def test_a_case_of_a_pack_is_its_file(sync: FolderSync) -> None:
    place = sync.root / "a.cases/one.scenario.yaml"
    place.parent.mkdir()
    place.write_bytes(b"kind: Scenario # by hand\n")
    sync.scan()
    pack = pack_of(sync)
    assert opened(pack).files["a.cases/one.scenario.yaml"] == place.read_bytes()
    path = cases.rename(pack.pk, "a.cases/one.scenario.yaml", "Two", sync.person)
    sync.exchange()
    assert not place.exists()
    moved = sync.root / path
    assert moved.read_bytes() == b"kind: Scenario # by hand\nmetadata:\n  name: Two\n"
    cases.delete(pack.pk, path, sync.person)
    sync.exchange()
    assert not moved.exists()
    sync.scan()
    assert list(pack_of(sync).revisions.values_list("number", flat=True)) == [1, 2, 3, 4]
