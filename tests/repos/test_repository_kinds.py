"""Exports to repositories of every kind, checked with the git program."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.repos.conftest import FIRST, NOTE, PACK, export, plan, set_files, take, upload
from tests.support.git_program import GitRepository, clone, init
from workflows.errors import RepositoryRefused
from workflows.management.transfer import import_path
from workflows.models import Pack

EDITED = FIRST.replace(b'"Two"', b'"Second"')


def crlf(text: bytes) -> bytes:
    return text.replace(b"\n", b"\r\n")


@pytest.mark.parametrize(
    "attributes", [b"* text eol=crlf\n", b"* text=auto eol=crlf\n", b"*.json text eol=crlf\n"]
)
@pytest.mark.parametrize("how", ["work tree", "commit", "upload"])
def test_line_endings_follow_the_attributes(
    repository: GitRepository, attributes: bytes, how: str
) -> None:
    repository.commit({".gitattributes": attributes})
    repository.write({"a.flow.json": crlf(FIRST)})
    repository.git("add", "--all")
    assert repository.git("status", "--porcelain") == ""
    if how == "work tree":
        pack = import_path(repository.folder).packs[0]
    elif how == "commit":
        pack = take(repository)
    else:
        pack = upload({**PACK, "a.flow.json": crlf(FIRST)})
    set_files(pack, {"a.flow.json": crlf(EDITED)})
    made = export(pack, repository)
    assert repository.show(made["commit"], "a.flow.json") == EDITED
    assert repository.git("diff", "--numstat", "main", made["commit"]).split()[:2] == ["1", "1"]
    assert repository.changes("main", made["commit"]) == ["M\ta.flow.json"]
    repository.git("merge", "--quiet", "--no-edit", "signalbox/edit")
    assert repository.git("status", "--porcelain") == ""
    assert (repository.folder / "a.flow.json").read_bytes() == crlf(EDITED)
    assert repository.is_clean()


def test_line_endings_that_were_committed_stay(repository: GitRepository) -> None:
    """With `text=auto`, git leaves a file alone that has CRLF in the repository."""
    repository.commit({"a.flow.json": crlf(FIRST)})
    repository.commit({".gitattributes": b"* text=auto\n"})
    pack = take(repository)
    set_files(pack, {"a.flow.json": crlf(EDITED)})
    made = export(pack, repository)
    assert repository.show(made["commit"], "a.flow.json") == crlf(EDITED)
    assert repository.git("diff", "--numstat", "main", made["commit"]).split()[:2] == ["1", "1"]
    assert repository.is_clean()


def test_a_merge_with_line_endings_keeps_both_sides(repository: GitRepository) -> None:
    repository.commit({".gitattributes": b"* text eol=crlf\n"})
    pack = import_path(repository.folder).packs[0]
    set_files(pack, {"a.flow.json": crlf(EDITED)})
    repository.commit({"a.flow.json": FIRST.replace(b'"One"', b'"Uno"')})
    repository.git("switch", "--quiet", "--create", "elsewhere")
    export(pack, repository, branch="main")
    expected = EDITED.replace(b'"One"', b'"Uno"')
    assert repository.show("main", "a.flow.json") == expected
    assert repository.is_clean()


def test_an_encoding_of_the_work_tree_is_kept(repository: GitRepository) -> None:
    attributes = b"*.md text working-tree-encoding=UTF-16LE eol=lf\n"
    wide = PACK[NOTE].decode().encode("utf-16-le")
    repository.commit({".gitattributes": attributes, NOTE: wide})
    assert repository.show("main", NOTE) == PACK[NOTE]
    pack = take(repository)
    set_files(pack, {NOTE: wide.replace("Last".encode("utf-16-le"), "End".encode("utf-16-le"))})
    made = export(pack, repository)
    assert repository.show(made["commit"], NOTE) == PACK[NOTE].replace(b"Last", b"End")
    assert repository.is_clean()


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n"


def with_lfs(repository: GitRepository) -> Pack:
    """The note is stored with Git LFS: a pointer in the commit, its bytes in the work tree."""
    data = PACK[NOTE]
    pointer = POINTER % (hashlib.sha256(data).hexdigest().encode(), len(data))
    repository.commit({".gitattributes": b"*.md filter=lfs diff=lfs merge=lfs -text\n"})
    id = repository.run("hash-object", "-w", "--stdin", stdin=pointer).decode().strip()
    repository.git("update-index", "--cacheinfo", f"100644,{id},{NOTE}")
    repository.git("commit", "--quiet", "--message", "lfs")
    assert repository.show("main", NOTE) == pointer
    return import_path(repository.folder).packs[0]


@pytest.mark.parametrize("uploaded", [False, True])
def test_a_pointer_of_lfs_stays_a_pointer(repository: GitRepository, uploaded: bool) -> None:
    pack = with_lfs(repository)
    pointer = repository.show("main", NOTE)
    if uploaded:
        pack = upload(PACK)
    set_files(pack, {"a.flow.json": EDITED})
    made = export(pack, repository)
    assert repository.changes("main", made["commit"]) == ["M\ta.flow.json"]
    assert repository.show(made["commit"], NOTE) == pointer
    assert repository.is_clean()


def test_a_changed_file_of_lfs_is_refused_by_name(repository: GitRepository) -> None:
    pack = with_lfs(repository)
    set_files(pack, {NOTE: b"changed\n"})
    with pytest.raises(RepositoryRefused, match="Git LFS") as refused:
        export(pack, repository)
    assert refused.value.where == NOTE
    assert "commit this file with git" in refused.value.hint
    with pytest.raises(RepositoryRefused, match="filter 'lfs'"):
        take(repository, separate=True)
    assert repository.is_clean()


def test_a_sha_256_repository_stays_whole(roots: Path) -> None:
    repository = init(roots / "wide", "--object-format=sha256")
    repository.commit(PACK)
    pack = take(repository)
    set_files(pack, {"a.flow.json": EDITED, NOTE: None})
    made = export(pack, repository)
    assert len(made["commit"]) == 64
    assert repository.changes("main", made["commit"]) == ["M\ta.flow.json", f"D\t{NOTE}"]
    repository.git("switch", "--quiet", "--create", "elsewhere")
    repository.git("branch", "--force", "main", "signalbox/edit")
    set_files(pack, {"a.flow.json": FIRST})
    assert export(pack, repository, branch="main")["merges"] is False
    assert repository.is_clean()


def test_a_bare_repository(repository: GitRepository, roots: Path) -> None:
    bare = clone(repository, roots / "team.git", "--bare")
    pack = take(bare)
    repository.git("push", "--quiet", str(bare.folder), "main")
    set_files(pack, {"a.flow.json": EDITED})
    made = export(pack, bare, branch="main")
    assert bare.git("rev-parse", "main") == made["commit"]
    assert bare.is_clean()
    repository.git("pull", "--quiet", str(bare.folder), "main")
    assert (repository.folder / "a.flow.json").read_bytes() == EDITED


def test_a_commit_known_from_another_clone_is_the_base(
    repository: GitRepository, roots: Path, taken: Pack
) -> None:
    bare = clone(repository, roots / "team.git", "--bare")
    repository.commit({NOTE: b"theirs\n"})
    repository.git("push", "--quiet", str(bare.folder), "main")
    set_files(taken, {"a.flow.json": EDITED})
    made = export(taken, bare, branch="main")
    assert (made["base_source"], made["merges"]) == ("import", True)
    assert bare.show("main", NOTE) == b"theirs\n"


def test_a_detached_head(repository: GitRepository) -> None:
    repository.git("switch", "--quiet", "--detach")
    loose = repository.commit({NOTE: b"detached\n"})
    pack = take(repository)
    set_files(pack, {"a.flow.json": EDITED})
    made = export(pack, repository)
    assert repository.git("rev-parse", f"{made['commit']}^") == loose
    assert repository.git("rev-parse", "HEAD") == loose
    assert repository.is_clean()


@pytest.mark.parametrize("bare", [False, True])
def test_an_empty_repository(roots: Path, bare: bool) -> None:
    empty = init(roots / "empty", *(["--bare"] if bare else []))
    pack = upload(PACK)
    if not bare:
        with pytest.raises(RepositoryRefused, match="checked out"):
            export(pack, empty, branch="main")
    branch = "main" if bare else "first"
    shown = plan(pack, empty, branch=branch)
    assert [one["change"] for one in shown["files"]] == ["added", "added"]
    made = export(pack, empty, branch=branch)
    assert empty.names(branch) == sorted(PACK)
    assert made["parent"] == ""
    assert empty.is_clean()
    set_files(pack, {NOTE: None})
    export(pack, empty, branch=branch)
    assert empty.names(branch) == ["a.flow.json"]


def test_a_submodule_stays_and_is_never_entered(repository: GitRepository, roots: Path) -> None:
    inner = init(roots / "inner")
    inner.commit(PACK)
    repository.git("submodule", "--quiet", "add", inner.folder.as_uri(), "sub")
    repository.commit({})
    pack = take(repository)
    set_files(pack, {"a.flow.json": EDITED})
    made = export(pack, repository)
    assert repository.git("ls-tree", made["commit"], "sub").startswith("160000 commit")
    inside = upload(PACK)
    with pytest.raises(RepositoryRefused, match="sub is a submodule") as refused:
        export(inside, repository, folder="sub", branch="other")
    assert "own repository" in refused.value.hint
    own = GitRepository(repository.folder / "sub")
    pack = take(own)
    set_files(pack, {"a.flow.json": EDITED})
    export(pack, own, branch="inside")
    assert own.is_clean()
    assert repository.is_clean()
    assert own.show("inside", "a.flow.json") == EDITED


def test_a_linked_work_tree(repository: GitRepository, roots: Path, taken: Pack) -> None:
    repository.git("worktree", "add", "--quiet", str(roots / "linked"), "-b", "linked")
    linked = GitRepository(roots / "linked")
    set_files(taken, {"a.flow.json": EDITED})
    with pytest.raises(RepositoryRefused, match="checked out"):
        export(taken, repository, branch="linked")
    export(taken, linked, branch="new")
    assert linked.git("status", "--porcelain") == ""
    assert repository.show("new", "a.flow.json") == EDITED


def test_a_branch_under_rebase_is_not_moved(repository: GitRepository, taken: Pack) -> None:
    repository.git("switch", "--quiet", "--create", "busy")
    repository.commit({NOTE: b"busy\n"})
    repository.git("switch", "--quiet", "main")
    repository.commit({NOTE: b"main\n"})
    assert repository.attempt("rebase", "main", "busy") == 1
    set_files(taken, {"a.flow.json": EDITED})
    with pytest.raises(RepositoryRefused, match="'busy' is checked out"):
        export(taken, repository, branch="busy")


def test_a_shallow_clone(repository: GitRepository, roots: Path) -> None:
    old = take(repository)
    repository.commit({NOTE: b"newer\n"})
    shallow = clone(repository, roots / "shallow", "--depth=1")
    set_files(old, {"a.flow.json": EDITED})
    with pytest.raises(RepositoryRefused, match="does not contain") as refused:
        export(old, shallow)
    assert "git fetch --unshallow" in refused.value.hint
    pack = take(shallow)
    set_files(pack, {"a.flow.json": EDITED})
    made = export(pack, shallow)
    assert shallow.changes("main", made["commit"]) == ["M\ta.flow.json"]
    assert shallow.is_clean()
    shallow.git("fetch", "--quiet", "--unshallow")
    assert export(old, shallow, branch="old")["merges"] is False
    assert shallow.is_clean()


def partial(repository: GitRepository, folder: Path, kind: str, *options: str) -> GitRepository:
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return clone(repository, folder, f"--filter={kind}", *options)


def test_a_partial_clone(repository: GitRepository, roots: Path, taken: Pack) -> None:
    repository.commit({NOTE: b"newer\n"})
    lazy = partial(repository, roots / "lazy", "blob:none")
    set_files(taken, {"a.flow.json": EDITED})
    made = export(taken, lazy)
    assert made["base_source"] == "import"
    lazy.git("merge", "--quiet", "--no-edit", "signalbox/edit")
    assert lazy.show("HEAD", NOTE) == b"newer\n"
    assert lazy.show("HEAD", "a.flow.json") == EDITED
    assert lazy.attempt("fsck", "--full") == 0


@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
def test_a_missing_object_of_a_partial_clone_is_refused(
    repository: GitRepository, roots: Path, taken: Pack, kind: str
) -> None:
    repository.commit({NOTE: PACK[NOTE].replace(b"First", b"Their first")})
    lazy = partial(repository, roots / "lazy", kind, "--bare")
    before = lazy.git("count-objects", "-v")
    set_files(taken, {NOTE: PACK[NOTE].replace(b"Last", b"My last")})
    with pytest.raises(RepositoryRefused) as refused:
        export(taken, lazy, branch="main")
    assert "git fetch --refetch" in refused.value.hint
    assert "clone" in refused.value.message
    assert lazy.git("count-objects", "-v") == before


def test_a_stale_lock_is_named(repository: GitRepository, taken: Pack) -> None:
    set_files(taken, {"a.flow.json": EDITED})
    lock = repository.folder / ".git" / "refs" / "heads" / "signalbox" / "edit.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    (repository.folder / ".git" / "index.lock").touch()
    with pytest.raises(RepositoryRefused, match="left a lock") as refused:
        export(taken, repository)
    assert str(lock) in refused.value.hint
    lock.unlink()
    export(taken, repository)
    assert repository.show("signalbox/edit", "a.flow.json") == EDITED


def test_a_damaged_repository_is_refused(repository: GitRepository, taken: Pack) -> None:
    tree = repository.git("rev-parse", "main^{tree}")
    (repository.folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    set_files(taken, {"a.flow.json": EDITED})
    with pytest.raises(RepositoryRefused, match="Git refused: "):
        plan(taken, repository)
