"""Work trees of runs against real git: no program of the repository runs, no branch moves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.git_repository import git, make_repository, users_state
from workflows.errors import RepositoryRefused
from workflows.repos import kept_branches, worktrees
from workflows.repos.authors import Author
from workflows.repos.repository import git_dirs
from workflows.repos.run_changes import Changes, save
from workflows.repos.worktrees import Worktree
from workflows.runner.confinement import run_confined


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    files = {"a.txt": "one\n", "b.txt": "two\n", ".gitignore": "*.log\n"}
    return make_repository(tmp_path / "project", files)


def tree_of(repository: Path, tmp_path: Path, name: str = "r1", ref: str = "HEAD") -> Worktree:
    control = git_dirs(repository).control
    tree = Worktree(
        repository=control,
        folder=tmp_path / "runs" / name / f"signalbox-{name}",
        base=worktrees.resolve(control, ref),
        name=name,
    )
    worktrees.add(tree)
    return tree


def saved_changes(tree: Worktree, **given: Any) -> Changes:
    return save(tree, confined=run_confined, **given)


def test_changes_become_one_commit_and_the_users_tree_stays(
    repository: Path, tmp_path: Path
) -> None:
    (repository / "a.txt").write_text("being edited\n")
    git(repository, "add", "a.txt")
    (repository / "mine.txt").write_text("untracked\n")
    before = users_state(repository)
    tree = tree_of(repository, tmp_path)
    assert (tree.folder / "a.txt").read_text() == "one\n"
    (tree.folder / "a.txt").write_text("one\nmore\n")
    (tree.folder / "b.txt").unlink()
    (tree.folder / "new").mkdir()
    (tree.folder / "new" / "c.txt").write_text("three\n")
    (tree.folder / "noise.log").write_text("ignored\n")
    saved = saved_changes(tree, message="Do it")
    worktrees.remove(tree)
    assert saved.files == ("a.txt", "b.txt", "new/c.txt")
    assert "+more" in saved.diff
    assert not tree.folder.exists()
    assert users_state(repository) == before
    kept = kept_branches.keep_branch(tree.repository, "work/done", saved.commit)
    assert git(repository, "rev-list", "--count", "main..work/done") == "1"
    assert git(repository, "rev-parse", "work/done^") == git(repository, "rev-parse", "main")
    assert kept == saved.commit
    assert git(repository, "fsck", "--strict") == ""


def test_commits_of_the_run_are_one_commit_of_the_branch(repository: Path, tmp_path: Path) -> None:
    tree = tree_of(repository, tmp_path)
    environment = {**os.environ, **tree.environment()}
    for number in (1, 2):
        (tree.folder / "a.txt").write_text(f"{number}\n")
        git(tree.folder, "commit", "--quiet", "-am", f"Step {number}", env=environment)
    saved = saved_changes(tree, message="Both", author=Author(name="Ada <x>", email="a@b.c"))
    worktrees.remove(tree)
    kept_branches.keep_branch(tree.repository, "both", saved.commit)
    assert git(repository, "rev-list", "--count", "main..both") == "1"
    assert (
        git(repository, "log", "-1", "--format=%an|%B", "both")
        == "Ada x|Both\n\n- Step 1\n- Step 2"
    )


def test_nothing_changed_leaves_no_ref(repository: Path, tmp_path: Path) -> None:
    tree = tree_of(repository, tmp_path)
    saved = saved_changes(tree, message="Nothing")
    worktrees.remove(tree)
    assert (saved.commit, saved.diff, saved.files) == ("", "", ())
    assert git(repository, "for-each-ref", "refs/signalbox") == ""


def test_a_forged_git_file_is_not_read(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    tree = tree_of(repository, tmp_path)
    forged = tree.folder / "forged"
    git(tree.folder, "init", "--quiet", str(forged))
    git(forged, "config", "core.fsmonitor", f"touch {trap}")
    worktrees.remove_folder(tree.folder / ".git")
    (tree.folder / ".git").write_text(f"gitdir: {forged}/.git\n")
    (tree.folder / "a.txt").write_text("changed\n")
    saved = saved_changes(tree, message="Safe")
    worktrees.remove(tree)
    assert saved.files == ("a.txt",)
    assert saved.left_out == ("forged",)
    assert not trap.exists()
    assert not tree.folder.exists()


def test_the_clone_has_the_branches_and_tags_of_the_repository(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "tag", "v1")
    git(repository, "branch", "other")
    git(repository, "update-ref", "refs/signalbox/runs/earlier", "HEAD")
    git(repository, "remote", "add", "origin", "https://user:secret@example.org/x.git")
    tree = tree_of(repository, tmp_path)
    listed = git(tree.folder, "for-each-ref", "--format=%(refname)").splitlines()
    assert listed == ["refs/heads/main", "refs/heads/other", "refs/tags/v1"]
    assert git(tree.folder, "log", "--oneline", "other").count("\n") == 0
    assert "secret" not in (tree.folder / ".git/config").read_text()


def test_a_sparse_repository_gives_a_sparse_tree(repository: Path, tmp_path: Path) -> None:
    (repository / "in").mkdir()
    (repository / "out").mkdir()
    for name in ("in/x", "out/y"):
        (repository / name).write_text("x\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "Two folders")
    git(repository, "sparse-checkout", "set", "in")
    tree = tree_of(repository, tmp_path)
    assert (tree.folder / "in/x").exists()
    assert not (tree.folder / "out").exists()
    (tree.folder / "in/x").write_text("changed\n")
    assert saved_changes(tree, message="Sparse").files == ("in/x",)


def test_a_partial_and_sparse_clone_lacks_objects(repository: Path, tmp_path: Path) -> None:
    (repository / "out").mkdir()
    (repository / "out/y").write_text("never fetched\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "Outside")
    git(repository, "config", "uploadpack.allowFilter", "true")
    address = repository.as_uri()
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", "--sparse", address, "partial")
    tree = tree_of(tmp_path / "partial", tmp_path)
    assert not (tree.folder / "out").exists()
    (tree.folder / "a.txt").write_text("changed\n")
    saved = saved_changes(tree, message="Partial")
    assert saved.files == ("a.txt",)
    assert "out/y" in git(tmp_path / "partial", "ls-tree", "-r", "--name-only", saved.commit)


def test_many_and_large_files_become_a_checked_pack(repository: Path, tmp_path: Path) -> None:
    tree = tree_of(repository, tmp_path)
    for number in range(150):
        (tree.folder / f"n{number}").write_text(f"{number}\n")
    (tree.folder / "big").write_bytes(os.urandom(3_000_000))
    saved = saved_changes(tree, message="Many")
    assert len(saved.files) == 151
    assert git(repository, "fsck", "--strict", "--no-dangling") == ""


def test_a_pack_that_lacks_objects_is_refused(repository: Path, tmp_path: Path) -> None:
    """The server trusts nothing that comes out of the isolation."""
    tree = tree_of(repository, tmp_path)
    (tree.folder / "a.txt").write_text("changed\n")

    def forged(command: Any, **given: Any) -> None:
        run_confined(command, **given)
        (out,) = given["writable"]
        packed = git(repository, "rev-parse", "HEAD:a.txt")
        (out / "pack").write_bytes(
            subprocess.run(
                ["git", "pack-objects", "--stdout", "-q"],
                cwd=repository,
                input=f"{packed}\n".encode(),
                capture_output=True,
                check=True,
            ).stdout
        )

    with pytest.raises(RepositoryRefused):
        save(tree, confined=forged, message="Forged")
    assert git(repository, "for-each-ref", "refs/signalbox") == ""


@pytest.mark.parametrize("what", ["a link", "a pipe", "nonsense"])
def test_the_output_of_the_isolation_is_checked(
    repository: Path, tmp_path: Path, what: str
) -> None:
    tree = tree_of(repository, tmp_path)
    (tree.folder / "a.txt").write_text("changed\n")
    secret = tmp_path / "secret"
    secret.write_text("secret\n")

    def forged(command: Any, **given: Any) -> None:
        run_confined(command, **given)
        (out,) = given["writable"]
        for name in ("tree", "pack"):
            if name == "tree" and what != "nonsense":
                continue
            (out / name).unlink()
            if what == "a link":
                (out / name).symlink_to(secret)
            elif what == "a pipe":
                os.mkfifo(out / name)
            else:
                (out / name).write_text("--all\n")

    with pytest.raises((RepositoryRefused, OSError)):
        save(tree, confined=forged, message="Forged")
    assert git(repository, "for-each-ref", "refs/signalbox") == ""


def test_folders_without_permission_are_removed(repository: Path, tmp_path: Path) -> None:
    tree = tree_of(repository, tmp_path)
    locked = tree.folder / "locked"
    locked.mkdir()
    (locked / "x").write_text("x")
    locked.chmod(0o500)
    worktrees.remove(tree)
    assert not tree.folder.exists()


@pytest.mark.parametrize("ref", ["nowhere", "-x", "--output=x", "main:a.txt", "\0"])
def test_an_unknown_ref_is_refused(repository: Path, ref: str) -> None:
    with pytest.raises(RepositoryRefused, match="no commit"):
        worktrees.resolve(git_dirs(repository).control, ref)


@pytest.mark.parametrize(
    "name", ["", "-x", "HEAD", "a..b", "a b", "x.lock", "/a", "main", "main/x"]
)
def test_a_bad_or_taken_branch_is_refused(repository: Path, tmp_path: Path, name: str) -> None:
    control = git_dirs(repository).control
    with pytest.raises(RepositoryRefused):
        kept_branches.keep_branch(control, name, worktrees.resolve(control, "main"))
    assert git(repository, "for-each-ref", "--format=%(refname)", "refs/heads") == "refs/heads/main"


@pytest.mark.parametrize("kind", ["sha256", "bare", "crlf", "empty"])
def test_other_repositories(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    format = "sha256" if kind == "sha256" else "sha1"
    make_repository(folder, {}, f"--object-format={format}")
    if kind == "empty":
        with pytest.raises(RepositoryRefused, match="no commit"):
            worktrees.resolve(git_dirs(folder).control, "HEAD")
        return
    if kind == "crlf":
        (folder / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (folder / "a.txt").write_text("one\ntwo\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "Begin")
    if kind == "bare":
        git(tmp_path, "clone", "--quiet", "--bare", "other", "bare.git")
        folder = tmp_path / "bare.git"
    tree = tree_of(folder, tmp_path)
    text = (tree.folder / "a.txt").read_bytes()
    assert text == (b"one\r\ntwo\r\n" if kind == "crlf" else b"one\ntwo\n")
    (tree.folder / "new.txt").write_text("new\n")
    saved = saved_changes(tree, message="More")
    worktrees.remove(tree)
    assert saved.files == ("new.txt",)
    kept_branches.keep_branch(tree.repository, "more", saved.commit)
    git(folder, "fsck", "--strict")
    assert git(folder, "show", "more:a.txt") == "one\ntwo"


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for place in (tmp_path / "plain", tmp_path / "missing"):
        with pytest.raises(RepositoryRefused, match="no git repository"):
            git_dirs(place)
