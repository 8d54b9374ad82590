"""An opened folder: packs that are deleted, renamed and made, on disk and on the canvas."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.opened_folder import (
    FIRST,
    MAIN,
    PART,
    add,
    on_disk,
    opened_folder,
    pack_of,
)
from workflows.actions import packs
from workflows.core.dialects import recognise
from workflows.core.pack.edits import AddState
from workflows.core.pack.files import Files
from workflows.errors import NothingToUndo, Refused
from workflows.folder.sync import FolderSync
from workflows.models import Pack
from workflows.selectors import packs as pack_reads
from workflows.selectors.changes import change
from workflows.selectors.sources import opened

pytestmark = pytest.mark.django_db


@pytest.fixture
def sync(tmp_path: Path, settings) -> FolderSync:
    root = tmp_path / "folder"
    (root / PART).parent.mkdir(parents=True)
    (root / MAIN).write_bytes(FIRST)
    (root / PART).write_bytes(b"because")
    settings.OPENED_FOLDER = root
    made = opened_folder(root)
    made.scan()
    return made


def settle(sync: FolderSync) -> None:
    """Compare until a deletion is certain."""
    for _ in range(3):
        sync.scan()


def delete_files(sync: FolderSync) -> None:
    (sync.root / MAIN).unlink()
    (sync.root / PART).unlink()


def undo_all(sync: FolderSync, pack: Pack) -> None:
    with suppress(NothingToUndo):
        while True:
            packs.undo(pack.pk, pack.head, sync.person)
            pack.refresh_from_db()


def listed(sync: FolderSync) -> list[str]:
    return [pack.main for pack in pack_reads.packs(sync.person)]


def test_a_pack_deleted_on_the_canvas_loses_its_files_and_does_not_return(sync: FolderSync) -> None:
    (sync.root / "other.txt").write_bytes(b"kept")
    packs.delete(pack_of(sync).pk)
    settle(sync)
    assert on_disk(sync.root) == {"other.txt": b"kept"}
    assert [path.name for path in sync.root.iterdir()] == ["other.txt"]
    (sync.root / "other.txt").write_bytes(b"touched")
    settle(sync)
    assert listed(sync) == []
    packs.delete(pack_of(sync).pk)
    assert not Pack.objects.exists()


def test_a_pack_that_git_brings_back_keeps_its_id_and_history(sync: FolderSync) -> None:
    add(sync, "Mine")
    sync.exchange()
    pack = pack_of(sync)
    files = on_disk(sync.root)
    packs.delete(pack.pk)
    settle(sync)
    assert on_disk(sync.root) == {}
    for path, data in files.items():
        (sync.root / path).parent.mkdir(exist_ok=True)
        (sync.root / path).write_bytes(data)
    settle(sync)
    assert pack_of(sync).pk == pack.pk
    assert listed(sync) == [MAIN]
    assert dict(opened(pack_of(sync)).files) == files
    assert opened(pack_of(sync), 1).files[MAIN] == FIRST


def test_a_version_saved_while_its_pack_is_deleted_stays(sync: FolderSync) -> None:
    newer = FIRST.replace(b"One", b"Newer")
    packs.delete(pack_of(sync).pk)
    (sync.root / MAIN).write_bytes(newer)
    settle(sync)
    assert on_disk(sync.root) == {MAIN: newer, PART: b"because"}
    assert listed(sync) == [MAIN]


def test_a_pack_deleted_on_disk_leaves_the_gallery_and_undo_writes_it_again(
    sync: FolderSync,
) -> None:
    start = pack_of(sync).head
    delete_files(sync)
    settle(sync)
    pack = pack_of(sync)
    assert listed(sync) == []
    assert change(pack, start, sync.person).notice == "Deleted in the folder"
    packs.undo(pack.pk, pack.head, sync.person)
    settle(sync)
    assert on_disk(sync.root) == {MAIN: FIRST, PART: b"because"}
    assert listed(sync) == [MAIN]
    packs.redo(pack.pk, pack_of(sync).head, sync.person)
    settle(sync)
    assert on_disk(sync.root) == {}
    assert listed(sync) == []


def test_a_deleted_pack_cannot_be_edited(sync: FolderSync) -> None:
    delete_files(sync)
    settle(sync)
    pack = pack_of(sync)
    with pytest.raises(Refused, match="deleted in the opened folder"):
        packs.edit(pack.pk, pack.head, (AddState(id="Lost"),), sync.person)


def test_an_edit_that_was_not_written_when_its_file_was_deleted_stays_in_the_history(
    sync: FolderSync,
) -> None:
    add(sync, "Mine")
    delete_files(sync)
    settle(sync)
    assert on_disk(sync.root) == {}
    packs.undo(pack_of(sync).pk, pack_of(sync).head, sync.person)
    settle(sync)
    assert b"Mine" in (sync.root / MAIN).read_bytes()


def test_an_editor_that_saves_in_two_steps_deletes_nothing(sync: FolderSync) -> None:
    head = pack_of(sync).head
    (sync.root / MAIN).unlink()
    sync.scan()
    (sync.root / MAIN).write_bytes(FIRST)
    settle(sync)
    assert pack_of(sync).head == head


@pytest.mark.parametrize("restart", [False, True])
def test_a_pack_that_returns_has_its_history(sync: FolderSync, restart: bool) -> None:
    add(sync, "Mine")
    sync.exchange()
    known = pack_of(sync).pk
    files = on_disk(sync.root)
    delete_files(sync)
    settle(sync)
    if restart:
        sync = opened_folder(sync.root)
        sync.scan()
    for path, data in files.items():
        (sync.root / path).parent.mkdir(exist_ok=True)
        (sync.root / path).write_bytes(data)
    settle(sync)
    assert pack_of(sync).pk == known
    assert listed(sync) == [MAIN]
    assert dict(opened(pack_of(sync)).files) == files


def test_a_pack_deleted_while_no_process_runs_leaves_the_gallery(sync: FolderSync) -> None:
    delete_files(sync)
    settle(opened_folder(sync.root))
    assert listed(sync) == []


@pytest.mark.parametrize("text", [FIRST, FIRST.replace(b"One", b"Changed too")])
def test_a_renamed_file_keeps_the_history_of_its_pack(sync: FolderSync, text: bytes) -> None:
    known = pack_of(sync).pk
    add(sync, "Mine")
    (sync.root / MAIN).rename(sync.root / "b.flow.json")
    (sync.root / PART).parent.rename(sync.root / "b.flow.json.notes")
    (sync.root / "b.flow.json").write_bytes(text)
    settle(sync)
    pack = pack_of(sync, "b.flow.json")
    assert pack.pk == known
    assert Pack.objects.count() == 1
    files = on_disk(sync.root)
    assert files.keys() == {"b.flow.json", "b.flow.json.notes/why.md"}
    assert dict(opened(pack).files) == files
    assert b"Mine" in files["b.flow.json"]
    undo_all(sync, pack)
    settle(sync)
    assert on_disk(sync.root) == {MAIN: FIRST, PART: b"because"}


def test_a_folder_that_is_moved_keeps_the_history(sync: FolderSync) -> None:
    known = pack_of(sync).pk
    (sync.root / "deep").mkdir()
    for name in (MAIN, f"{MAIN}.notes"):
        (sync.root / name).rename(sync.root / "deep" / name)
    settle(sync)
    assert pack_of(sync, f"deep/{MAIN}").pk == known
    assert on_disk(sync.root).keys() == {f"deep/{MAIN}", f"deep/{PART}"}


def test_another_pack_at_another_place_is_no_rename(sync: FolderSync) -> None:
    known = pack_of(sync).pk
    delete_files(sync)
    (sync.root / "b.flow.json").write_bytes(b'{"name": "Other", "entry": "X", "states": {"X": {}}}')
    settle(sync)
    assert listed(sync) == ["b.flow.json"]
    assert pack_of(sync, "b.flow.json").pk != known


def test_a_copy_is_written_next_to_the_original(sync: FolderSync) -> None:
    before = on_disk(sync.root)
    copy = packs.duplicate(pack_of(sync).pk, owner=sync.person)
    assert copy.main == f"a-copy/{MAIN}"
    settle(sync)
    added = {f"a-copy/{path}": data for path, data in before.items()}
    assert on_disk(sync.root) == before | added
    add(sync, "Mine", copy.main)
    settle(sync)
    assert b"Mine" in (sync.root / copy.main).read_bytes()
    assert (sync.root / MAIN).read_bytes() == FIRST
    second = packs.duplicate(pack_of(sync).pk, owner=sync.person)
    assert second.main == f"a-copy-2/{MAIN}"
    assert {one.main for one in recognise(Files.of(on_disk(sync.root)))} == {MAIN, copy.main}


@pytest.mark.parametrize(
    ("sample", "main"),
    [
        ("promptpack/blank", "bill-triage.pack.json"),
        ("agent_graph/blank", "bill-triage.agents.json"),
        ("stages/blank", "bill-triage/pipeline.json"),
        ("steps_registry/blank", ".agent/bill-triage/steps_registry.json"),
    ],
)
def test_a_new_pack_is_written_under_its_name(sync: FolderSync, sample: str, main: str) -> None:
    made = packs.create_from_sample(sample, owner=sync.person, name="Bill triage")
    again = packs.create_from_sample(sample, owner=sync.person, name="Bill triage")
    assert made.main == main
    assert again.main != main
    settle(sync)
    files = on_disk(sync.root)
    for pack in (made, again):
        for path, data in opened(Pack.objects.get(pk=pack.pk)).files.items():
            assert files[path] == data
    assert Pack.objects.count() == 3


def test_an_imported_pack_keeps_its_paths_if_they_are_free(sync: FolderSync) -> None:
    (free,) = packs.import_files({"sub/b.flow.json": FIRST}, owner=sync.person).packs
    (taken,) = packs.import_files({MAIN: FIRST}, owner=sync.person).packs
    assert (free.main, taken.main) == ("sub/b.flow.json", "a-2.flow.json")
    settle(sync)
    assert on_disk(sync.root).keys() == {MAIN, PART, free.main, taken.main}


def test_a_server_without_a_folder_keeps_the_paths_of_a_copy(settings, sync: FolderSync) -> None:
    settings.OPENED_FOLDER = None
    assert packs.duplicate(pack_of(sync).pk, owner=sync.person).main == MAIN
