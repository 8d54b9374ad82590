"""Work trees of runs against real git: no program of the repository runs, no branch moves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.git_repository import git, make_repository, users_state
from workflows.errors import RepositoryRefused
from workflows.repos import worktrees
from workflows.repos.work_tree_git import git_dirs
from workflows.repos.worktrees import Author, Worktree


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


def test_changes_become_one_commit_and_the_users_tree_stays(
    repository: Path, tmp_path: Path
) -> None:
    (repository / "a.txt").write_text("being edited\n")
    git(repository, "add", "a.txt")
    (repository / "mine.txt").write_text("untracked\n")
    before = users_state(repository)
    tree = tree_of(repository, tmp_path)
    assert (tree.folder / "a.txt").read_text() == "one\n"
    assert "signalbox-r1" in git(repository, "worktree", "list")
    (tree.folder / "a.txt").write_text("one\nmore\n")
    (tree.folder / "b.txt").unlink()
    (tree.folder / "new").mkdir()
    (tree.folder / "new" / "c.txt").write_text("three\n")
    (tree.folder / "noise.log").write_text("ignored\n")
    saved = worktrees.save(tree, message="Do it")
    worktrees.remove(tree)
    assert saved.files == ("a.txt", "b.txt", "new/c.txt")
    assert "+more" in saved.diff
    assert not tree.folder.exists()
    assert "signalbox" not in git(repository, "worktree", "list")
    assert users_state(repository) == before
    kept = worktrees.keep_branch(tree.repository, "work/done", saved.commit)
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
    saved = worktrees.save(tree, message="Both", author=Author(name="Ada <x>", email="a@b.c"))
    worktrees.remove(tree)
    worktrees.keep_branch(tree.repository, "both", saved.commit)
    assert git(repository, "rev-list", "--count", "main..both") == "1"
    assert (
        git(repository, "log", "-1", "--format=%an|%B", "both")
        == "Ada x|Both\n\n- Step 1\n- Step 2"
    )


def test_nothing_changed_leaves_no_ref(repository: Path, tmp_path: Path) -> None:
    tree = tree_of(repository, tmp_path)
    saved = worktrees.save(tree, message="Nothing")
    worktrees.remove(tree)
    assert (saved.commit, saved.diff, saved.files) == ("", "", ())
    assert git(repository, "for-each-ref", "refs/signalbox") == ""


def test_no_program_of_the_repository_runs(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho $0 $@ >> {trap}\ncat\n")
    program.chmod(0o755)
    hooks = repository / ".git" / "hooks"
    for hook in ("post-checkout", "pre-commit", "post-commit", "reference-transaction",
                 "post-index-change", "fsmonitor-watchman", "post-rewrite"):  # fmt: skip
        (hooks / hook).write_text(program.read_text())
        (hooks / hook).chmod(0o755)
    (repository / ".gitattributes").write_text("*.txt filter=evil diff=evil merge=evil\n")
    git(repository, "-c", f"core.hooksPath={os.devnull}", "add", ".")
    git(repository, "-c", f"core.hooksPath={os.devnull}", "commit", "--quiet", "-m", "Attributes")
    for name, value in {
        "core.fsmonitor": str(program),
        "core.hooksPath": str(hooks),
        "filter.evil.clean": str(program),
        "filter.evil.smudge": str(program),
        "filter.evil.process": str(program),
        "filter.evil.required": "true",
        "diff.external": str(program),
        "diff.evil.command": str(program),
        "diff.evil.textconv": str(program),
        "commit.gpgSign": "true",
        "gpg.program": str(program),
        "core.sshCommand": str(program),
        "core.pager": str(program),
    }.items():
        git(repository, "config", name, value)
    tree = tree_of(repository, tmp_path)
    assert (tree.folder / "a.txt").read_text() == "one\n"
    (tree.folder / "a.txt").write_text("changed\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **tree.environment()}
    git(tree.folder, "status", "--porcelain", env=environment)
    git(tree.folder, "commit", "--quiet", "-am", "Mine", env=environment)
    (tree.folder / "b.txt").write_text("changed\n")
    saved = worktrees.save(tree, message="Safe")
    worktrees.remove(tree)
    worktrees.keep_branch(tree.repository, "safe", saved.commit, message="Kept")
    assert not trap.exists(), trap.read_text()
    assert saved.files == ("a.txt", "b.txt")


def test_a_forged_git_file_is_not_read(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    tree = tree_of(repository, tmp_path)
    forged = tree.folder / "forged"
    git(tree.folder, "init", "--quiet", str(forged))
    git(forged, "config", "core.fsmonitor", f"touch {trap}")
    (tree.folder / ".git").write_text(f"gitdir: {forged}/.git\n")
    (tree.folder / "a.txt").write_text("changed\n")
    saved = worktrees.save(tree, message="Safe")
    worktrees.remove(tree)
    assert saved.files == ("a.txt",)
    assert saved.left_out == ("forged",)
    assert not trap.exists()
    assert not tree.folder.exists()
    assert git(repository, "worktree", "list").count("\n") == 0


def test_a_stale_work_tree_is_pruned_and_the_users_own_stay(
    repository: Path, tmp_path: Path
) -> None:
    tree = tree_of(repository, tmp_path)
    git(repository, "worktree", "add", "--quiet", "-b", "mine", str(tmp_path / "mine"))
    (tmp_path / "mine").rename(tmp_path / "on-another-disk")
    tree.folder.rename(tmp_path / "gone")
    worktrees.prune(tree.repository)
    entries = sorted(path.name for path in (tree.repository / "worktrees").iterdir())
    assert entries == ["mine"]


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
        worktrees.keep_branch(control, name, worktrees.resolve(control, "main"))
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
    saved = worktrees.save(tree, message="More")
    worktrees.remove(tree)
    assert saved.files == ("new.txt",)
    worktrees.keep_branch(tree.repository, "more", saved.commit)
    git(folder, "fsck", "--strict")
    assert git(folder, "show", "more:a.txt") == "one\ntwo"


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for place in (tmp_path / "plain", tmp_path / "missing"):
        with pytest.raises(RepositoryRefused, match="no git repository"):
            git_dirs(place)
