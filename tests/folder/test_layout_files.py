"""Layout of an opened folder in `.signalbox/layout/`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.opened_folder import FIRST, MAIN, add, on_disk, opened_folder, pack_of
from workflows.actions import packs
from workflows.core.dialects import recognise
from workflows.core.pack.edits import Edit, Move, WriteNote
from workflows.core.pack.files import Files
from workflows.folder.sync import FolderSync
from workflows.opened_packs.bodies import NOWHERE
from workflows.selectors.layout import layout_now

pytestmark = pytest.mark.django_db
PLACE = f".signalbox/layout/{MAIN}.json"
MOVED = Move(positions={"B": [40.5, 80], "A": [0, -20]})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / MAIN).write_bytes(FIRST)
    return made


def saving(root: Path) -> FolderSync:
    """The folder as `signalbox open --save-layout` opens it."""
    sync = opened_folder(root, saves_layout=True)
    sync.scan()
    return sync


def reading(root: Path) -> FolderSync:
    """The folder as `signalbox open` opens it."""
    sync = opened_folder(root)
    sync.scan()
    return sync


def edit(sync: FolderSync, *edits: Edit) -> None:
    pack = pack_of(sync)
    packs.edit(pack.pk, pack.head, edits, sync.person)
    sync.exchange()


def places(sync: FolderSync) -> dict[str, tuple[float | None, float | None]]:
    found = layout_now(pack_of(sync).pk)
    return {key: (one["x"], one["y"]) for key, one in found.items()}


def layout_of(**states: dict[str, object]) -> str:
    return json.dumps({"version": 1, "states": states})


def test_without_the_option_nothing_is_written(root: Path) -> None:
    sync = reading(root)
    edit(sync, MOVED)
    assert on_disk(root).keys() == {MAIN}


def test_a_pack_without_places_has_no_file(root: Path) -> None:
    sync = saving(root)
    add(sync, "C")
    sync.exchange()
    assert on_disk(root).keys() == {MAIN}


def test_places_and_notes_are_written_in_a_stable_order(root: Path) -> None:
    sync = saving(root)
    edit(sync, MOVED, WriteNote(id="B", text="Ask “Grace”\nfirst"))
    assert (root / PLACE).read_text() == (
        '{\n  "version": 1,\n  "states": {\n'
        '    "A": {"x": 0, "y": -20},\n'
        '    "B": {"x": 40.5, "y": 80, "note": "Ask “Grace”\\nfirst"}\n'
        "  }\n}\n"
    )
    assert (root / MAIN).read_bytes() == FIRST
    assert on_disk(root).keys() == {MAIN, PLACE}


def test_the_file_is_written_only_when_the_layout_changes(root: Path) -> None:
    sync = saving(root)
    edit(sync, MOVED)
    before = (root / PLACE).stat()
    add(sync, "C")
    sync.exchange()
    sync.scan()
    saving(root)
    after = (root / PLACE).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("opening", [reading, saving])
def test_a_file_is_read_when_the_folder_is_opened(root: Path, opening: object) -> None:
    (root / PLACE).parent.mkdir(parents=True)
    text = layout_of(B={"x": 7, "y": 8}, Unknown={"x": 1, "y": 1})
    (root / PLACE).write_text(text)
    sync = opening(root)  # type: ignore[operator]
    assert places(sync) == {"B": (7, 8)}
    assert (root / PLACE).read_text() == text


def test_a_change_on_disk_moves_its_states_and_undo_moves_them_back(root: Path) -> None:
    sync = saving(root)
    edit(sync, MOVED)
    old = (root / PLACE).read_text()
    (root / PLACE).write_text(old.replace("40.5", "300"))
    sync.exchange()
    assert places(sync) == {"A": (0, -20), "B": (300, 80)}
    pack = pack_of(sync)
    packs.undo(pack.pk, pack.head, sync.person)
    sync.exchange()
    assert places(sync)["B"] == (40.5, 80)
    assert (root / PLACE).read_text() == old


def test_a_state_that_leaves_the_file_loses_its_place(root: Path) -> None:
    sync = saving(root)
    edit(sync, MOVED)
    (root / PLACE).write_text(layout_of(A={"x": 5, "y": 5}))
    sync.exchange()
    assert places(sync) == {"A": (5, 5)}


def test_a_move_on_the_canvas_and_one_on_disk_are_merged(root: Path) -> None:
    sync = saving(root)
    edit(sync, MOVED)
    pack = pack_of(sync)
    packs.edit(pack.pk, pack.head, (Move(positions={"A": [1, 2]}),), sync.person)
    (root / PLACE).write_text((root / PLACE).read_text().replace("40.5", "300"))
    sync.exchange()
    assert places(sync) == {"A": (1, 2), "B": (300, 80)}
    assert json.loads((root / PLACE).read_text())["states"] == {
        "A": {"x": 1, "y": 2},
        "B": {"x": 300, "y": 80},
    }


def test_the_place_of_a_state_that_comes_later_is_kept(root: Path) -> None:
    sync = saving(root)
    (root / PLACE).parent.mkdir(parents=True)
    (root / PLACE).write_text(layout_of(C={"x": 3, "y": 4}))
    sync.exchange()
    assert places(sync) == {}
    text = FIRST.replace(b'"B": {', b'"C": {"title": "Three"},\n    "B": {')
    (root / MAIN).write_bytes(text)
    sync.exchange()
    assert places(sync) == {"C": (3, 4)}


def test_a_deleted_file_keeps_the_places_and_comes_back_with_the_next_move(root: Path) -> None:
    sync = saving(root)
    edit(sync, MOVED)
    (root / PLACE).unlink()
    sync.exchange()
    sync.exchange()
    assert not (root / PLACE).exists()
    assert places(sync)["B"] == (40.5, 80)
    edit(sync, Move(positions={"A": [9, 9]}))
    assert json.loads((root / PLACE).read_text())["states"]["A"] == {"x": 9, "y": 9}


@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< ours\n{}\n",
        "[]",
        '{"version": 2, "states": {}}',
        layout_of(A={"x": "left", "y": 1}),
        layout_of(A={"x": 1}),
        layout_of(A={"x": 1e10, "y": 1}),
        layout_of(A={"x": True, "y": 1}),
        layout_of(A={"x": 1, "y": 1, "width": 10}),
        layout_of(A={"x": 1, "y": 1, "note": 5}),
        layout_of(A={"x": 1, "y": 1, "note": "a" * 5_000}),
        '{"version": 1, "states": {"A": {"x": NaN, "y": 1}}}',
        "[" * 100_000,
    ],
)
def test_a_file_that_cannot_be_read_is_left(
    root: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    sync = saving(root)
    edit(sync, MOVED)
    before = (root / PLACE).read_bytes()
    (root / PLACE).write_text(text)
    sync.exchange()
    assert f"{PLACE} cannot be read" in caplog.text
    edit(sync, Move(positions={"A": [9, 9]}))
    assert (root / PLACE).read_text() == text
    assert places(sync) == {"A": (9, 9), "B": (40.5, 80)}
    (root / PLACE).write_bytes(before)
    sync.exchange()
    assert json.loads((root / PLACE).read_text())["states"]["A"] == {"x": 9, "y": 9}


def test_a_move_that_a_killed_process_did_not_write_is_written_by_the_next(root: Path) -> None:
    sync = saving(root)
    edit(sync, MOVED)
    pack = pack_of(sync)
    packs.edit(pack.pk, pack.head, (Move(positions={"A": [9, 9]}),), sync.person)
    later = saving(root)
    assert places(later)["A"] == (9, 9)
    assert json.loads((root / PLACE).read_text())["states"]["A"] == {"x": 9, "y": 9}


def test_moves_without_the_option_are_written_when_it_is_used(root: Path) -> None:
    edit(saving(root), MOVED)
    edit(reading(root), Move(positions={"A": [9, 9]}))
    assert json.loads((root / PLACE).read_text())["states"]["A"] == {"x": 0, "y": -20}
    saving(root)
    assert json.loads((root / PLACE).read_text())["states"]["A"] == {"x": 9, "y": 9}


def test_a_renamed_pack_takes_its_file_along_and_a_deleted_one_too(
    root: Path, settings: Any
) -> None:
    settings.OPENED_FOLDER = root
    sync = saving(root)
    edit(sync, MOVED)
    (root / "sub").mkdir()
    (root / MAIN).rename(root / "sub" / MAIN)
    sync.scan()
    renamed = f".signalbox/layout/sub/{MAIN}.json"
    assert on_disk(root).keys() == {f"sub/{MAIN}", renamed}
    packs.delete(pack_of(sync, f"sub/{MAIN}").pk)
    sync.exchange()
    assert on_disk(root) == {}
    assert list(root.iterdir()) == []


def test_a_pack_that_git_moves_with_its_file_keeps_its_places(root: Path) -> None:
    sync = saving(root)
    edit(sync, MOVED)
    text = (root / PLACE).read_text()
    (root / MAIN).rename(root / "b.flow.json")
    (root / PLACE).rename(root / PLACE.replace("a.flow", "b.flow"))
    sync.scan()
    pack = pack_of(sync, "b.flow.json")
    assert layout_now(pack.pk)["B"] == {**NOWHERE, "x": 40.5, "y": 80}
    assert on_disk(root)[".signalbox/layout/b.flow.json.json"].decode() == text


def test_a_link_out_of_the_folder_is_not_written(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (root / ".signalbox").symlink_to(tmp_path / "other")
    sync = saving(root)
    edit(sync, MOVED)
    assert list((tmp_path / "other").iterdir()) == []
    assert places(sync)["B"] == (40.5, 80)


def test_no_dialect_takes_a_layout_for_a_pack() -> None:
    text = layout_of(A={"x": 0, "y": 0}, B={"x": 1, "y": 1, "note": "Later"})
    mains = (MAIN, "a.pack.json", "delivery/pipeline.json", "x.agents.json", "steps_registry.json")
    files = {f".signalbox/layout/{main}.json": text.encode() for main in mains}
    assert list(recognise(Files(files))) == []
