"""Packs as commits, read back with the git program: nothing but a branch and its objects is new."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.flow_dialect import flow
from workflows.core.pack.files import BadFiles, Files
from workflows.errors import RepositoryRefused
from workflows.repos.commits import CommitRequest, CommitResult, commit_files

PACK = Files({"flows/a.flow.json": flow("A", A={}), "flows/note é.md": b"one\r\n"})


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "core.quotePath=off", "-c", "user.name=x", "-c", "user.email=x@y", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, settings: Any) -> Path:
    folder = tmp_path / "roots" / "repo"
    folder.mkdir(parents=True)
    settings.SIGNALBOX_REPOSITORIES = [tmp_path / "roots"]
    git(folder, "init", "-q", "-b", "main")
    (folder / "flows").mkdir()
    (folder / "flows" / "a.flow.json").write_bytes(b"old")
    (folder / "tool.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "tool.sh").chmod(0o755)
    (folder / "link").symlink_to("tool.sh")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def commit(repository: Path, files: Files = PACK, **changed: Any) -> CommitResult:
    asked: dict[str, Any] = {
        "repository": repository,
        "branch": "signalbox/edit",
        "message": "Edit the flow",
        "author_name": "Ada <Lovelace>",
        "author_email": "ada@example.org",
    }
    return commit_files(CommitRequest(**{**asked, **changed}), files)


def test_a_commit_holds_the_pack_and_what_was_there(repository: Path) -> None:
    made = commit(repository)
    assert git(repository, "rev-parse", "signalbox/edit") == made.commit
    assert git(repository, "fsck", "--strict", "--full") == ""
    assert git(repository, "show", "-s", "--format=%an|%ae|%s|%P", made.commit) == (
        f"Ada Lovelace|ada@example.org|Edit the flow|{git(repository, 'rev-parse', 'main')}"
    )
    changed = git(repository, "diff", "--name-status", "main", made.commit).splitlines()
    assert changed == ["M\tflows/a.flow.json", "A\tflows/note é.md"]
    raw = subprocess.run(
        ["git", "show", f"{made.commit}:flows/note é.md"],
        cwd=repository,
        check=True,
        capture_output=True,
    ).stdout
    assert raw == b"one\r\n"
    assert not made.unchanged


def test_work_tree_index_and_head_stay_as_they_are(repository: Path) -> None:
    (repository / "tool.sh").write_bytes(b"someone's work\n")
    (repository / "new.txt").write_bytes(b"untracked\n")
    before = _state(repository)
    commit(repository)
    assert _state(repository) == before


def _state(repository: Path) -> tuple[object, ...]:
    return (
        (repository / ".git" / "index").read_bytes(),
        (repository / ".git" / "HEAD").read_bytes(),
        git(repository, "rev-parse", "main"),
        git(repository, "status", "--porcelain"),
        {path.name: path.read_bytes() for path in repository.iterdir() if path.is_file()},
    )


def test_no_hook_runs(repository: Path) -> None:
    for name in ("pre-commit", "post-commit", "reference-transaction", "commit-msg"):
        hook = repository / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {repository}/ran\n")
        hook.chmod(0o755)
    commit(repository)
    assert not (repository / "ran").exists()


def test_the_first_commit_of_an_empty_repository(repository: Path) -> None:
    empty = repository.parent / "empty"
    empty.mkdir()
    git(empty, "init", "-q", "-b", "main")
    made = commit(empty)
    assert git(empty, "ls-tree", "-r", "--name-only", made.commit).splitlines() == list(PACK)
    with pytest.raises(RepositoryRefused):
        commit(empty, branch="main")


def test_a_folder_goes_before_every_path(repository: Path) -> None:
    made = commit(repository, folder="packs/support/")
    assert made.paths == ("packs/support/flows/a.flow.json", "packs/support/flows/note é.md")
    assert "packs/support/flows/a.flow.json" in git(
        repository, "ls-tree", "-r", "--name-only", made.commit
    )


def test_the_same_bytes_make_no_commit(repository: Path) -> None:
    made = commit(repository, Files({"flows/a.flow.json": b"old"}))
    assert made.unchanged
    assert made.commit == git(repository, "rev-parse", "main")
    assert git(repository, "branch", "--list", "signalbox/*") == ""


def test_an_existing_branch_is_never_moved(repository: Path) -> None:
    first = commit(repository)
    with pytest.raises(RepositoryRefused) as refused:
        commit(repository, Files({"a": b"other"}))
    assert refused.value.extra["free"] == "signalbox/edit-2"
    assert git(repository, "rev-parse", "signalbox/edit") == first.commit
    commit(repository, Files({"a": b"other"}), branch="signalbox/edit-2")
    with pytest.raises(RepositoryRefused, match="main"):
        commit(repository, branch="main")


@pytest.mark.parametrize(
    "branch",
    ["", "-x", "HEAD", "a..b", "a b", "a~1", "a.lock", "/a", "a/", "main/x", "a\0b", "@{u}"],
)
def test_a_branch_name_that_git_refuses_is_refused(repository: Path, branch: str) -> None:
    with pytest.raises(RepositoryRefused) as refused:
        commit(repository, branch=branch)
    assert refused.value.where == "branch"


@pytest.mark.parametrize("path", ["../a", ".git/hooks/x", "a/.GIT/x", "a/../../b", "git~1/x"])
def test_an_unsafe_path_is_refused(repository: Path, path: str) -> None:
    with pytest.raises(BadFiles):
        commit(repository, Files({path: b"x"}))
    assert git(repository, "branch", "--list", "signalbox/*") == ""


@pytest.mark.parametrize("folder", ["..", "../x", ".git", "a//b"])
def test_an_unsafe_folder_is_refused(repository: Path, folder: str) -> None:
    with pytest.raises(BadFiles):
        commit(repository, folder=folder)


@pytest.mark.parametrize("path", ["tool.sh/x", "link", "link/x", "flows"])
def test_a_path_through_a_file_or_a_link_is_refused(repository: Path, path: str) -> None:
    with pytest.raises(RepositoryRefused):
        commit(repository, Files({path: b"x"}))


def test_an_executable_file_stays_one(repository: Path) -> None:
    made = commit(repository, Files({"tool.sh": b"#!/bin/sh\necho\n"}))
    assert git(repository, "ls-tree", made.commit, "tool.sh").startswith("100755")


def test_only_folders_the_operator_named_are_written(repository: Path, settings: Any) -> None:
    outside = repository.parent.parent / "outside"
    outside.mkdir()
    git(outside, "init", "-q")
    (repository.parent / "door").symlink_to(outside)
    (repository.parent / "worktree").mkdir()
    (repository.parent / "worktree" / ".git").write_text(f"gitdir: {outside}/.git\n")
    plain = repository.parent / "plain"
    plain.mkdir()
    for folder in (outside, repository.parent / "door", Path("repo"), plain, plain / "none"):
        with pytest.raises(RepositoryRefused):
            commit(folder)
    with pytest.raises(RepositoryRefused, match="may not write"):
        commit(repository.parent / "worktree")
    settings.SIGNALBOX_REPOSITORIES = []
    with pytest.raises(RepositoryRefused, match="no repositories"):
        commit(repository)


def test_a_commit_needs_a_message(repository: Path) -> None:
    with pytest.raises(RepositoryRefused, match="message"):
        commit(repository, message="  \n")


def test_a_pack_is_committed_over_http(repository: Path, pack: Any, post: Any) -> None:
    body = {"repository": str(repository), "branch": "flow", "message": "Export"}
    answer = post(f"packs/{pack.pk}/export/git/", body)
    assert answer.json()["paths"] == ["tiny.flow.json"]
    shown = git(repository, "show", "-s", "--format=%an %s", answer.json()["commit"])
    assert shown == "ada Export"
    again = post(f"packs/{pack.pk}/export/git/", body)
    assert again.status_code == 422
    assert "flow-2" in again.json()["hint"]
