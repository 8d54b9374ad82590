"""An edit and a change on disk in the same place: both are kept, and a user decides."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from tests.support.opened_folder import FIRST, MAIN, PART, add, pack_of
from workflows.actions import packs
from workflows.core.pack.edits import SetField, WriteFile
from workflows.errors import Conflict
from workflows.folder.conflicts import decide, open_conflict
from workflows.folder.sync import FolderSync
from workflows.models import FolderConflict
from workflows.selectors.sources import opened

pytestmark = pytest.mark.django_db
MINE, THEIRS = FIRST.replace(b"One", b"Mine"), FIRST.replace(b"One", b"Theirs")


def title(sync: FolderSync, value: str) -> None:
    pack = pack_of(sync)
    edit = SetField(element="state:A", field="/title", value=value)
    packs.edit(pack.pk, pack.head, (edit,), sync.person)


def rename(sync: FolderSync, name: str) -> None:
    pack = pack_of(sync)
    text = opened(pack).files[MAIN].decode().replace("Tiny", name)
    packs.edit(pack.pk, pack.head, (WriteFile(path=MAIN, text=text),), sync.person)


def meet(sync: FolderSync) -> dict[str, Any]:
    """The title of one state is changed on both sides."""
    title(sync, "Mine")
    (sync.root / MAIN).write_bytes(THEIRS)
    sync.scan()
    conflict = open_conflict(pack_of(sync))
    assert conflict is not None
    return conflict


def choose(sync: FolderSync, conflict: dict[str, Any], **choice: str) -> None:
    pack = pack_of(sync)
    choices = {one["id"]: choice for one in conflict["conflicts"]}
    decide(
        pack, conflict["id"], sync.person, expected_revision=conflict["revision"], choices=choices
    )
    sync.exchange()


def test_a_conflict_has_both_versions_and_their_state(sync: FolderSync) -> None:
    (conflict,) = meet(sync)["conflicts"]
    assert conflict["element"] == "transition:A|Go|B"  # the innermost one in this line
    assert conflict["value"] == "/states/A/title"
    assert (conflict["base"], conflict["mine"], conflict["theirs"]) == ("One", "Mine", "Theirs")


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ({"take": "mine"}, MINE),
        ({"take": "theirs"}, THEIRS),
        ({"text": "Edited"}, b"Edited"),
    ],
)
def test_a_decision_is_saved_and_written_to_the_folder(
    sync: FolderSync, choice: dict[str, str], text: bytes
) -> None:
    choose(sync, meet(sync), **choice)
    on_disk = (sync.root / MAIN).read_bytes()
    assert on_disk == (FIRST.replace(b"One", text) if text == b"Edited" else text)
    assert open_conflict(pack_of(sync)) is None
    assert FolderConflict.objects.count() == 0


def test_other_changes_of_the_same_file_survive_the_decision(sync: FolderSync) -> None:
    rename(sync, "Small")
    conflict = meet(sync)
    assert (sync.root / MAIN).read_bytes() == THEIRS
    choose(sync, conflict, take="theirs")
    assert (sync.root / MAIN).read_bytes() == THEIRS.replace(b"Tiny", b"Small")


def test_changes_after_the_conflict_are_part_of_the_decision(sync: FolderSync) -> None:
    meet(sync)
    rename(sync, "Small")
    sync.exchange()
    place = sync.root / MAIN
    place.write_bytes(place.read_bytes().replace(b'"entry": "A"', b'"entry": "B"'))
    sync.scan()
    conflict = open_conflict(pack_of(sync))
    assert conflict is not None
    choose(sync, conflict, take="mine")
    wanted = MINE.replace(b"Tiny", b"Small").replace(b'"entry": "A"', b'"entry": "B"')
    assert place.read_bytes() == wanted


def test_a_decision_about_an_older_revision_is_refused(sync: FolderSync) -> None:
    conflict = meet(sync)
    add(sync, "Later")
    with pytest.raises(Conflict, match="changed since you looked"):
        choose(sync, conflict, take="mine")
    assert FolderConflict.objects.count() == 1


def test_two_conflicts_are_decided_one_after_the_other(sync: FolderSync) -> None:
    meet(sync)
    title(sync, "Again")
    (sync.root / MAIN).write_bytes(FIRST.replace(b"One", b"Others"))
    sync.scan()
    first = open_conflict(pack_of(sync))
    assert first is not None
    assert first["conflicts"][0]["mine"] == "Mine"
    choose(sync, first, take="theirs")
    second = open_conflict(pack_of(sync))
    assert second is not None
    assert second["conflicts"][0]["mine"] == "Again"
    choose(sync, second, take="mine")
    assert (sync.root / MAIN).read_bytes() == FIRST.replace(b"One", b"Again")
    assert open_conflict(pack_of(sync)) is None


def test_undo_of_the_change_on_disk_ends_the_conflict(sync: FolderSync) -> None:
    meet(sync)
    pack = pack_of(sync)
    packs.undo(pack.pk, pack.head, sync.person)
    sync.exchange()
    assert (sync.root / MAIN).read_bytes() == MINE
    assert open_conflict(pack_of(sync)) is None


def test_changes_that_merge_ask_nothing(sync: FolderSync) -> None:
    add(sync, "Mine")
    (sync.root / MAIN).write_bytes(THEIRS)
    sync.scan()
    assert open_conflict(pack_of(sync)) is None


def test_a_merge_that_cannot_be_read_is_a_decision_about_the_file(sync: FolderSync) -> None:
    pack = pack_of(sync)
    edit = WriteFile(path=MAIN, text=FIRST.decode().replace('"B": {"title": "Two"}', '"B": {}'))
    packs.edit(pack.pk, pack.head, (edit,), sync.person)
    (sync.root / MAIN).write_bytes(FIRST.replace(b'"name": "Tiny"', b'"name": "Tiny'))
    sync.scan()
    conflict = open_conflict(pack_of(sync))
    assert conflict is not None
    assert [one["whole_file"] for one in conflict["conflicts"]] == [True]
    choose(sync, conflict, take="mine")
    assert b'"B": {}' in (sync.root / MAIN).read_bytes()


def test_a_file_deleted_on_disk_and_edited_is_a_conflict(sync: FolderSync) -> None:
    part = sync.root / PART
    part.parent.mkdir()
    part.write_bytes(b"because\n")
    sync.scan()
    pack = pack_of(sync)
    packs.edit(pack.pk, pack.head, (WriteFile(path=PART, text="edited\n"),), sync.person)
    part.unlink()
    sync.scan()
    conflict = open_conflict(pack_of(sync))
    assert conflict is not None
    (one,) = conflict["conflicts"]
    assert (one["path"], one["mine"], one["theirs"]) == (PART, "edited\n", None)
    choose(sync, conflict, take="mine")
    assert part.read_bytes() == b"edited\n"


def test_a_conflict_follows_a_rename(sync: FolderSync) -> None:
    meet(sync)
    (sync.root / MAIN).rename(sync.root / "b.flow.json")
    sync.scan()
    conflict = open_conflict(pack_of(sync, "b.flow.json"))
    assert conflict is not None
    assert conflict["conflicts"][0]["path"] == "b.flow.json"


def test_the_api_shows_and_decides_a_conflict(sync: FolderSync, client: Client) -> None:
    conflict = meet(sync)
    client.force_login(sync.person)
    pack = pack_of(sync).pk
    shown = client.get(f"/api/v1/packs/{pack}/upstream/").json()
    assert shown == {"upstream": None, "folder_conflict": conflict}
    body = {
        "expected_revision": conflict["revision"],
        "choices": {conflict["conflicts"][0]["id"]: {"take": "mine"}},
    }
    address = f"/api/v1/packs/{pack}/folder-conflicts/{conflict['id']}/"
    answer = client.post(address, json.dumps(body), content_type="application/json")
    assert answer.json() == {"revision": conflict["revision"] + 1}
    again = client.post(address, json.dumps(body), content_type="application/json")
    assert again.status_code == 404
