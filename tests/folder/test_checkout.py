"""The branch of an opened folder, and operations of git that have not ended, against real git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.git_repository import ENVIRONMENT, git, make_repository
from tests.support.opened_folder import FIRST, MAIN, opened_folder
from workflows.folder.git_lock import is_locked
from workflows.notifications import bus
from workflows.selectors.opened_folder import checkout_of


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = make_repository(tmp_path / "here", {MAIN: FIRST.decode()})
    for branch, title in (("feat/titles", "Two"), ("main", "Three")):
        git(made, "switch", "--quiet", *(["--create"] if branch != "main" else []), branch)
        (made / MAIN).write_bytes(FIRST.replace(b"One", title.encode()))
        git(made, "commit", "--quiet", "--all", "-m", title)
    return made


def attempt(folder: Path, *arguments: str) -> None:
    """Run git, which stops with a conflict."""
    done = subprocess.run(
        ("git", *arguments), cwd=folder, env=ENVIRONMENT, capture_output=True, check=False
    )
    assert done.returncode == 1, done.stderr


def test_a_branch_and_a_detached_head(repository: Path, tmp_path: Path) -> None:
    assert checkout_of(tmp_path) == ""
    assert checkout_of(repository) == "main"
    (repository / "below").mkdir()
    git(repository, "switch", "--quiet", "feat/titles")
    assert checkout_of(repository / "below") == "feat/titles"
    git(repository, "switch", "--quiet", "--detach")
    assert checkout_of(repository) == f"at {git(repository, 'rev-parse', 'HEAD')[:7]}"


@pytest.mark.parametrize(
    ("command", "branch", "shown"),
    [
        ("merge", "feat/titles", "main, merging"),
        ("rebase", "feat/titles", "main, rebasing"),
        ("cherry-pick", "feat/titles", "main, picking"),
        ("revert", "HEAD~1", "main, reverting"),
    ],
)
def test_a_command_that_waits_for_its_end(
    repository: Path, command: str, branch: str, shown: str
) -> None:
    attempt(repository, command, branch)
    assert checkout_of(repository) == shown
    git(repository, command, "--abort")
    assert checkout_of(repository) == "main"


def test_a_linked_work_tree_has_a_branch_and_a_lock_of_its_own(
    repository: Path, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "--quiet", str(linked), "feat/titles")
    assert checkout_of(linked) == "feat/titles"
    Path(git(linked, "rev-parse", "--absolute-git-dir"), "index.lock").touch()
    assert is_locked(linked)
    assert not is_locked(repository)


@pytest.mark.django_db(transaction=True)
def test_open_pages_get_the_branch(repository: Path) -> None:
    sync = opened_folder(repository)
    heard: list[bus.Notification] = []
    stop = bus.subscribe(heard.append)
    try:
        sync.scan()
        git(repository, "switch", "--quiet", "--create", "other")
        sync.exchange()
        sync.exchange()
    finally:
        stop()
    branches = [one.checkout for one in heard if isinstance(one, bus.PackWritten)]
    assert branches == ["main", "other"]
