"""Imports from repositories: a pack is updated by merge, and never made twice."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.repos.conftest import FIRST, NOTE, PACK, export, set_files, take
from tests.support.git_program import GitRepository, clone, init
from tests.support.server_fixtures import files_of
from workflows.core.pack.files import BadFiles
from workflows.errors import Conflict, NothingRecognised, NotThere
from workflows.management.transfer import import_path
from workflows.models import Pack, Revision, SyncPoint
from workflows.repos.imports import ImportRequest, import_commit

EDITED = FIRST.replace(b'"Two"', b'"Second"')
THEIRS = PACK[NOTE].replace(b"First", b"Their first")


@pytest.fixture(params=["commit", "work tree"])
def again(request: pytest.FixtureRequest, repository: GitRepository) -> Any:
    """Import the pack of the repository, in both ways that there are."""

    def from_work_tree() -> Pack:
        return import_path(repository.folder).packs[0]

    return (lambda: take(repository)) if request.param == "commit" else from_work_tree


def test_the_commit_of_an_import_is_recorded(repository: GitRepository, again: Any) -> None:
    pack = again()
    point = SyncPoint.objects.get(pack=pack)
    assert point.commit == repository.git("rev-parse", "HEAD")
    assert (point.revision, point.folder, point.main) == (1, "", "a.flow.json")
    assert point.repository == str(repository.folder / ".git")
    assert (sorted(point.files), point.uncommitted) == (sorted(PACK), [])


def test_the_same_path_updates_the_pack(repository: GitRepository, again: Any) -> None:
    pack = again()
    set_files(pack, {"a.flow.json": EDITED})
    repository.commit({NOTE: THEIRS, "a.flow.json.notes/new.md": b"new\n"})
    updated = again()
    assert updated.pk == pack.pk
    assert Pack.objects.count() == 1
    assert dict(files_of(pack)) == {
        "a.flow.json": EDITED,
        NOTE: THEIRS,
        "a.flow.json.notes/new.md": b"new\n",
    }
    newest = Revision.objects.filter(pack=pack).latest("number")
    assert (newest.number, newest.kind) == (3, "import")
    made = export(pack, repository)
    assert made["parent"] == repository.git("rev-parse", "main")
    assert repository.changes("main", made["commit"]) == ["M\ta.flow.json"]


def test_linked_work_trees_of_two_branches_are_two_sources(repository: GitRepository) -> None:
    place = repository.folder.parent / "linked"
    repository.git("worktree", "add", "--quiet", "-b", "feature", str(place))
    linked = GitRepository(place)
    linked.commit({"a.flow.json": EDITED})
    repository.commit({NOTE: THEIRS})
    first = import_path(repository.folder).packs[0]
    second = import_path(place).packs[0]
    assert first.pk != second.pk
    assert files_of(first)["a.flow.json"] == FIRST
    assert files_of(second)["a.flow.json"] == EDITED
    assert import_path(repository.folder).packs[0].pk == first.pk
    assert take(linked).pk == second.pk
    assert SyncPoint.objects.filter(pack=second).latest("pk").repository == str(place / ".git")


def test_a_name_that_cannot_be_stored_stops_no_other_pack(repository: GitRepository) -> None:
    (repository.folder / os.fsdecode(b"caf\xe9.json")).write_bytes(b"{}")
    repository.commit({})
    made = import_commit(ImportRequest(repository=repository.folder, ref="main"), None)
    assert [pack.main for pack in made.packs] == ["a.flow.json"]
    assert "caf\\udce9.json" in made.ignored


def test_both_sides_of_one_file_are_kept(repository: GitRepository, again: Any) -> None:
    pack = again()
    set_files(pack, {"a.flow.json": EDITED})
    repository.commit({"a.flow.json": FIRST.replace(b'"One"', b'"Uno"')})
    again()
    assert files_of(pack)["a.flow.json"] == EDITED.replace(b'"One"', b'"Uno"')


def test_a_deletion_of_a_colleague_arrives(repository: GitRepository, again: Any) -> None:
    pack = again()
    repository.commit({NOTE: None})
    again()
    assert list(files_of(pack)) == ["a.flow.json"]


def test_a_place_that_both_changed_is_a_conflict(repository: GitRepository, again: Any) -> None:
    pack = again()
    set_files(pack, {"a.flow.json": EDITED})
    repository.commit({"a.flow.json": FIRST.replace(b'"Two"', b'"Zwei"')})
    with pytest.raises(Conflict) as refused:
        again()
    place = refused.value.extra["places"][0]
    assert (place["yours"], place["theirs"]) == ("Second", "Zwei")
    assert files_of(pack)["a.flow.json"] == EDITED
    assert SyncPoint.objects.count() == 1


def test_nothing_new_makes_no_revision(repository: GitRepository, again: Any) -> None:
    pack = again()
    set_files(pack, {"a.flow.json": EDITED})
    repository.commit({"other.txt": b"x\n"})
    again()
    assert Pack.objects.get(pk=pack.pk).head == 2
    assert files_of(pack)["a.flow.json"] == EDITED


def test_an_import_does_not_revert_an_unmerged_export(
    repository: GitRepository, again: Any
) -> None:
    pack = again()
    set_files(pack, {"a.flow.json": EDITED})
    export(pack, repository)
    again()
    assert files_of(pack)["a.flow.json"] == EDITED
    repository.git("merge", "--quiet", "signalbox/edit")
    repository.commit({NOTE: THEIRS})
    again()
    assert dict(files_of(pack)) == {"a.flow.json": EDITED, NOTE: THEIRS}


def test_an_older_commit_is_refused(repository: GitRepository, again: Any) -> None:
    repository.commit({NOTE: THEIRS})
    pack = again()
    repository.git("switch", "--quiet", "--detach", "HEAD^")
    with pytest.raises(Conflict, match="does not contain") as refused:
        again()
    assert "separate" in refused.value.hint
    assert files_of(pack)[NOTE] == THEIRS


def test_changes_of_the_work_tree_are_exported_too(repository: GitRepository) -> None:
    repository.write({"a.flow.json": EDITED})
    pack = import_path(repository.folder).packs[0]
    assert SyncPoint.objects.get(pack=pack).uncommitted == ["a.flow.json"]
    set_files(pack, {NOTE: b"mine\n"})
    made = export(pack, repository)
    assert repository.changes("main", made["commit"]) == ["M\ta.flow.json", f"M\t{NOTE}"]


def test_a_folder_and_a_file_of_a_commit(repository: GitRepository) -> None:
    repository.commit({f"packs/{path}": data for path, data in PACK.items()})
    folder = take(repository, path="packs/")
    assert files_of(folder).as_dict() == PACK
    alone = take(repository, path="packs/a.flow.json")
    assert alone.pk == folder.pk, "the same folder and main file"
    assert files_of(folder).as_dict() == PACK, "the note was not read, and so is not gone"
    assert import_path(repository.folder / "packs" / "a.flow.json").packs[0].pk == folder.pk
    assert files_of(folder).as_dict() == PACK
    other = take(repository, path="packs", separate=True, name="Other")
    assert (other.pk != folder.pk, other.name) == (True, "Other")
    for request, error in [
        ({"path": "nowhere"}, NotThere),
        ({"path": "tool.sh"}, NothingRecognised),
        ({"path": "../x"}, BadFiles),
        ({"path": "link"}, NotThere),
        ({"ref": "nowhere"}, NotThere),
        ({"ref": "-x"}, NotThere),
    ]:
        with pytest.raises(error):
            take(repository, **request)


def test_another_repository_makes_another_pack(repository: GitRepository, roots: Any) -> None:
    pack = take(repository)
    other = clone(repository, roots / "other")
    assert take(other).pk != pack.pk


def test_a_folder_outside_of_git_is_imported_without_a_record(tmp_path: Any) -> None:
    (tmp_path / "a.flow.json").write_bytes(FIRST)
    first, second = import_path(tmp_path).packs[0], import_path(tmp_path).packs[0]
    assert first.pk != second.pk
    assert not SyncPoint.objects.exists()
    init(tmp_path)
    assert import_path(tmp_path).packs, "a repository without a commit"
    assert not SyncPoint.objects.exists()


def test_an_import_over_http(repository: GitRepository, post: Any) -> None:
    body = {"repository": str(repository.folder)}
    first = post("import/git/", body)
    assert first.status_code == 201
    assert first.json()["updated"] == []
    repository.commit({NOTE: THEIRS})
    second = post("import/git/", body).json()
    assert second["updated"] == [first.json()["packs"][0]["id"]]
    assert second["packs"][0]["head"] == 2
    wrong = post("import/git/", {**body, "branch": "main"})
    assert (wrong.status_code, wrong.json()["where"]) == (400, "branch")
    elsewhere = post("import/git/", {"repository": "/nowhere"})
    assert elsewhere.status_code == 422


def test_an_import_with_the_form_of_the_gallery(repository: GitRepository, site: Any) -> None:
    assert "Import from git" in site.get("/").content.decode()
    body = {"repository": str(repository.folder), "ref": "main", "path": ""}
    opened = site.post("/", body)
    pack = Pack.objects.get()
    assert opened["Location"] == f"/packs/{pack.pk}/"
    repository.commit({NOTE: THEIRS})
    assert site.post("/", body)["Location"] == f"/packs/{pack.pk}/"
    assert files_of(pack)[NOTE] == THEIRS
    refused = site.post("/", {**body, "repository": "/nowhere"}, follow=True)
    assert "may not use this folder" in refused.content.decode()


def test_the_form_is_missing_where_no_repository_is_allowed(site: Any, settings: Any) -> None:
    settings.SIGNALBOX_REPOSITORIES = []
    assert "Import from git" not in site.get("/").content.decode()
