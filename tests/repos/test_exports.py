"""Exports checked with the git program: nothing of the repository or the pack is lost."""

from __future__ import annotations

import json

import pytest

from tests.repos.conftest import FIRST, NOTE, PACK, export, plan, set_files, take, upload
from tests.support.git_program import GitRepository
from workflows.errors import Conflict, RepositoryRefused
from workflows.models import Pack, SyncPoint

EDITED = FIRST.replace(b'"Two"', b'"Second"')


def test_an_export_changes_only_what_the_pack_changed(
    repository: GitRepository, taken: Pack
) -> None:
    set_files(taken, {"a.flow.json": EDITED})
    made = export(taken, repository)
    assert repository.changes("main", "signalbox/edit") == ["M\ta.flow.json"]
    assert repository.show("signalbox/edit", "a.flow.json") == EDITED
    assert repository.git("rev-parse", "signalbox/edit^") == repository.git("rev-parse", "main")
    assert repository.git("rev-parse", "signalbox/edit") == made["commit"]
    assert (made["base_source"], made["new_branch"], made["merges"]) == ("import", True, False)
    assert repository.is_clean()


@pytest.mark.parametrize("imported", [True, False], ids=["imported", "uploaded"])
def test_a_stale_pack_keeps_a_colleagues_commit(repository: GitRepository, imported: bool) -> None:
    pack = take(repository) if imported else upload(PACK)
    first = repository.git("rev-parse", "main")
    theirs = PACK[NOTE].replace(b"First", b"Their first")
    repository.commit({NOTE: theirs, "other.txt": b"other\n"})
    set_files(pack, {"a.flow.json": EDITED})
    made = export(pack, repository)
    assert made["base"] == first
    assert made["base_source"] == ("import" if imported else "found")
    assert repository.git("rev-parse", "signalbox/edit^") == first
    repository.git("merge", "--quiet", "--no-edit", "signalbox/edit")
    assert repository.show("main", NOTE) == theirs
    assert repository.show("main", "other.txt") == b"other\n"
    assert repository.show("main", "a.flow.json") == EDITED
    assert repository.is_clean()


def test_a_branch_that_moved_gets_a_merge_commit(repository: GitRepository, taken: Pack) -> None:
    repository.git("switch", "--quiet", "--create", "team")
    theirs = FIRST.replace(b'"One"', b'"Uno"')
    tip = repository.commit({"a.flow.json": theirs})
    repository.git("switch", "--quiet", "main")
    set_files(taken, {"a.flow.json": EDITED})
    made = export(taken, repository, branch="team")
    assert made["merges"]
    assert repository.show("team", "a.flow.json") == theirs.replace(b'"Two"', b'"Second"')
    parents = repository.git("show", "-s", "--format=%P", "team").split()
    assert parents[0] == tip
    assert repository.show(parents[1], "a.flow.json") == EDITED
    assert repository.changes(parents[1] + "^", parents[1]) == ["M\ta.flow.json"]
    assert repository.is_clean()


def test_the_same_place_changed_twice_is_a_conflict(repository: GitRepository, taken: Pack) -> None:
    repository.git("switch", "--quiet", "--create", "team")
    repository.commit({"a.flow.json": FIRST.replace(b'"Two"', b'"Zwei"')})
    repository.git("switch", "--quiet", "main")
    set_files(taken, {"a.flow.json": EDITED})
    before = repository.git("for-each-ref")
    with pytest.raises(Conflict) as refused:
        export(taken, repository, branch="team")
    place = refused.value.extra["places"][0]
    assert (place["path"], place["yours"], place["theirs"]) == ("a.flow.json", "Second", "Zwei")
    assert "new branch" in refused.value.hint
    assert repository.git("for-each-ref") == before
    assert repository.is_clean()
    shown = plan(taken, repository, branch="team")
    assert shown["conflicts"] == refused.value.extra["places"]
    export(taken, repository, branch="mine")
    assert repository.attempt("merge-tree", "--write-tree", "team", "mine") == 1


@pytest.mark.parametrize("branch", ["team", "main"])
def test_a_deletion_reaches_the_commit(repository: GitRepository, taken: Pack, branch: str) -> None:
    repository.git("branch", "team")
    repository.git("switch", "--quiet", "--create", "elsewhere")
    set_files(taken, {NOTE: None})
    made = export(taken, repository, branch=branch)
    assert made["files"] == [{"path": NOTE, "change": "deleted"}]
    assert repository.changes(f"{branch}^", branch) == [f"D\t{NOTE}"]
    assert repository.is_clean()


def test_a_deletion_of_a_file_that_a_colleague_changed_is_a_conflict(
    repository: GitRepository, taken: Pack
) -> None:
    repository.commit({NOTE: b"theirs\n"})
    repository.git("switch", "--quiet", "--create", "elsewhere")
    set_files(taken, {NOTE: None})
    with pytest.raises(Conflict) as refused:
        export(taken, repository, branch="main")
    place = refused.value.extra["places"][0]
    assert (place["path"], place["theirs"]) == (NOTE, "theirs")
    assert place["reason"] == "You deleted the file; the repository changed it."


def test_a_rename_keeps_history_and_mode(repository: GitRepository) -> None:
    (repository.folder / NOTE).chmod(0o755)
    repository.commit({})
    pack = take(repository)
    renamed = "a.flow.json.notes/renamed.md"
    set_files(pack, {NOTE: None, renamed: PACK[NOTE]})
    export(pack, repository)
    status = repository.git("diff", "--find-renames", "--name-status", "main", "signalbox/edit")
    assert status == f"R100\t{NOTE}\t{renamed}"
    assert repository.git("ls-tree", "signalbox/edit", renamed).startswith("100755")
    assert repository.is_clean()


def test_a_second_export_continues_the_first(repository: GitRepository, taken: Pack) -> None:
    set_files(taken, {"a.flow.json": EDITED})
    first = export(taken, repository)
    colleague = repository.commit({"other.txt": b"x\n"})
    set_files(taken, {NOTE: b"second\n"})
    second = export(taken, repository)
    assert repository.git("rev-parse", "signalbox/edit^") == first["commit"]
    assert repository.changes(first["commit"], second["commit"]) == [f"M\t{NOTE}"]
    assert (second["base"], second["base_source"]) == (first["commit"], "export")
    repository.git("merge", "--quiet", "--no-edit", "signalbox/edit")
    assert repository.git("merge-base", "main", colleague) == colleague
    assert set(repository.names("main")) == {*PACK, "tool.sh", "link", "other.txt"}


def test_an_export_after_a_merge_reverts_nothing(repository: GitRepository, taken: Pack) -> None:
    repository.git("switch", "--quiet", "--create", "team")
    theirs = PACK[NOTE].replace(b"First", b"Their first")
    repository.commit({NOTE: theirs})
    repository.git("switch", "--quiet", "main")
    set_files(taken, {"a.flow.json": EDITED})
    export(taken, repository, branch="team")
    set_files(taken, {NOTE: PACK[NOTE].replace(b"Last", b"My last")})
    made = export(taken, repository, branch="team")
    assert made["merges"]
    expected = theirs.replace(b"Last", b"My last")
    assert repository.show("team", NOTE) == expected
    assert repository.show("team", "a.flow.json") == EDITED
    assert repository.is_clean()


def test_an_export_without_changes_names_the_commit_and_no_branch(
    repository: GitRepository, taken: Pack
) -> None:
    made = export(taken, repository)
    assert (made["unchanged"], made["branch"]) == (True, "")
    assert made["commit"] == repository.git("rev-parse", "main")
    assert repository.git("branch", "--list", "signalbox/*") == ""
    set_files(taken, {"a.flow.json": EDITED})
    first = export(taken, repository)
    again = export(taken, repository)
    assert (again["unchanged"], again["branch"]) == (True, "signalbox/edit")
    assert again["commit"] == first["commit"]


def test_a_change_that_the_branch_has_already_is_no_commit(
    repository: GitRepository, taken: Pack
) -> None:
    set_files(taken, {"a.flow.json": EDITED})
    repository.commit({"a.flow.json": EDITED, "other.txt": b"x\n"})
    repository.git("branch", "team")
    made = export(taken, repository, branch="team")
    assert made["unchanged"]
    assert made["commit"] == repository.git("rev-parse", "team")


def test_an_unknown_pack_does_not_replace_existing_files(repository: GitRepository) -> None:
    pack = upload({**PACK, "a.flow.json": FIRST.replace(b"Tiny", b"Other")})
    with pytest.raises(Conflict, match="no commit is known") as refused:
        export(pack, repository)
    assert refused.value.extra["places"][0]["path"] == "a.flow.json"
    assert "base" in refused.value.hint
    made = export(pack, repository, base="main")
    assert repository.changes("main", made["commit"]) == ["M\ta.flow.json"]


def test_an_unknown_pack_adds_its_files(repository: GitRepository) -> None:
    pack = upload({"b.flow.json": FIRST})
    made = export(pack, repository)
    assert made["base_source"] == "none"
    assert repository.changes("main", made["commit"]) == ["A\tb.flow.json"]


def test_an_unknown_pack_deletes_nothing(repository: GitRepository) -> None:
    repository.commit({"b.flow.json": FIRST, "b.flow.json.notes/x.md": b"theirs\n"})
    pack = upload({"b.flow.json": FIRST, "b.flow.json.notes/x.md": b"mine\n"})
    set_files(pack, {"b.flow.json.notes/x.md": None})
    with pytest.raises(Conflict) as refused:
        export(pack, repository)
    assert refused.value.where == "b.flow.json.notes/x.md"


def test_a_file_that_was_never_part_of_the_pack_is_not_replaced(
    repository: GitRepository, taken: Pack
) -> None:
    """A colleague and the pack both add a file with the same path."""
    new = "a.flow.json.notes/new.md"
    repository.commit({new: b"theirs\n"})
    repository.git("switch", "--quiet", "--create", "elsewhere")
    set_files(taken, {new: b"mine\n"})
    with pytest.raises(Conflict) as refused:
        export(taken, repository, branch="main")
    place = refused.value.extra["places"][0]
    assert (place["path"], place["yours"], place["theirs"]) == (new, "mine", "theirs")


def test_an_older_revision_is_exported(repository: GitRepository, taken: Pack) -> None:
    set_files(taken, {"a.flow.json": EDITED})
    set_files(taken, {NOTE: b"later\n"})
    made = export(taken, repository, revision=2)
    assert made["revision"] == 2
    assert repository.changes("main", made["commit"]) == ["M\ta.flow.json"]


def test_a_list_of_which_each_side_deletes_one_entry_is_empty(repository: GitRepository) -> None:
    """Each side deletes one entry of a list with its comma."""
    text = FIRST.replace(b'"entry"', b'"tags": [\n"a"\n,\n"b"\n],\n  "entry"')
    repository.git("switch", "--quiet", "--create", "team")
    repository.commit({"a.flow.json": text})
    pack = take(repository, separate=True)
    repository.commit({"a.flow.json": text.replace(b'"a"\n', b"").replace(b',\n"b"', b'"b"')})
    repository.git("switch", "--quiet", "main")
    set_files(pack, {"a.flow.json": text.replace(b'"b"\n]', b"]").replace(b"\n,\n]", b"\n]")})
    export(pack, repository, branch="team")
    assert json.loads(repository.show("team", "a.flow.json"))["tags"] == []


def test_new_errors_of_a_merge_are_in_the_preview(repository: GitRepository, taken: Pack) -> None:
    """A colleague deletes the state to which the pack draws an arrow."""
    repository.git("switch", "--quiet", "--create", "team")
    text = FIRST.replace(b'{"title": "One", "on": {"Go": "B"}}', b'{"on": {}, "title": "One"}')
    repository.commit({"a.flow.json": text})
    pack = take(repository, separate=True)
    repository.commit({"a.flow.json": text.replace(b',\n    "B": {"title": "Two"}', b"")})
    repository.git("switch", "--quiet", "main")
    set_files(pack, {"a.flow.json": text.replace(b'"on": {}', b'"on": {"Go": "B"}')})
    shown = plan(pack, repository, branch="team")
    assert "FL001" in [one["code"] for one in shown["findings"]]


def test_the_recorded_commit_is_that_of_the_pack_alone(
    repository: GitRepository, taken: Pack
) -> None:
    repository.git("branch", "team")
    repository.commit({"other.txt": b"x\n"})
    repository.git("switch", "--quiet", "--create", "elsewhere")
    set_files(taken, {"a.flow.json": EDITED})
    export(taken, repository, branch="main")
    points = list(SyncPoint.objects.filter(pack=taken).values_list("kind", "revision", "branch"))
    assert points == [("import", 1, ""), ("export", 2, "main")]
    recorded = SyncPoint.objects.filter(pack=taken).latest("pk").commit
    assert repository.git("rev-parse", "main^2") == recorded


def test_a_base_that_the_branch_lacks_is_refused(repository: GitRepository, taken: Pack) -> None:
    repository.git("branch", "old")
    base = repository.commit({NOTE: b"newer\n"})
    pack = take(repository, separate=True)
    set_files(pack, {"a.flow.json": EDITED})
    with pytest.raises(RepositoryRefused, match="does not contain") as refused:
        export(pack, repository, branch="old")
    assert "new branch" in refused.value.hint
    with pytest.raises(RepositoryRefused, match="does not contain the base"):
        export(pack, repository, branch="old", base=base)
    with pytest.raises(RepositoryRefused, match="no commit 'nowhere'"):
        export(pack, repository, base="nowhere")


def test_the_preview_shows_each_file(repository: GitRepository, taken: Pack) -> None:
    new = "a.flow.json.notes/new.md"
    set_files(taken, {"a.flow.json": EDITED, NOTE: None, new: b"new\n"})
    shown = plan(taken, repository)
    assert [(one["path"], one["change"]) for one in shown["files"]] == [
        ("a.flow.json", "changed"),
        (new, "added"),
        (NOTE, "deleted"),
    ]
    changed = shown["files"][0]["diff"].splitlines()
    assert [line for line in changed if line[0] in "+-" and "Second" in line]
    assert (shown["branch"], shown["new_branch"]) == ("", True)
    made = export(taken, repository, tree=shown["tree"])
    assert repository.git("rev-parse", f"{made['commit']}^{{tree}}") == shown["tree"]


def test_a_preview_that_is_no_longer_true_is_not_committed(
    repository: GitRepository, taken: Pack
) -> None:
    set_files(taken, {"a.flow.json": EDITED})
    shown = plan(taken, repository)
    set_files(taken, {NOTE: b"later\n"})
    with pytest.raises(RepositoryRefused, match="since the preview"):
        export(taken, repository, tree=shown["tree"])
    assert repository.git("branch", "--list", "signalbox/*") == ""
