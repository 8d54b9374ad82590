"""Refs are resolved as git resolves them in the working directory: each ref in each kind of work
tree, in each place that takes a ref, against `git rev-parse`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from signalbox.commands import run_workspace
from signalbox.commands.errors import Trouble
from signalbox.project import repository as project
from tests.support.git_program import ENVIRONMENT, GitRepository, clone, init
from workflows.errors import RepositoryRefused
from workflows.repos.local_repositories import chosen_workspace
from workflows.repos.repository import open_allowed

REFS = ("HEAD", "@", "HEAD~1", "@{-1}", "ORIG_HEAD", "main", "feature", "HEAD^{tree}~9", "nowhere")
PLACES = (
    "main", "subfolder", "linked", "linked subfolder", "bare", "linked to bare", "detached",
    "sparse", "submodule",
)  # fmt: skip


def history(repository: GitRepository, name: str) -> None:
    """Commits, another branch before this one, and a commit that was reset."""
    for number in range(3):
        repository.commit({f"inside/{name}": f"{number}\n".encode()})
    repository.git("switch", "--quiet", "--create", f"{name}-before")
    repository.commit({name: b"before\n"})
    repository.git("switch", "--quiet", "-")
    repository.git("reset", "--quiet", "--hard", "HEAD~1")


def linked(repository: GitRepository, folder: Path, branch: str) -> GitRepository:
    repository.git("worktree", "add", "--quiet", "-b", branch, str(folder))
    tree = GitRepository(folder)
    history(tree, branch)
    return tree


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """Every kind of work tree; each has a history of its own."""
    main = init(tmp_path / "main")
    history(main, "main")
    tree = linked(main, tmp_path / "linked", "feature")
    bare = clone(main, tmp_path / "bare.git", "--bare")
    far = linked(bare, tmp_path / "far", "far")
    detached = clone(main, tmp_path / "detached")
    detached.git("switch", "--quiet", "--detach", "HEAD~1")
    sparse = clone(main, tmp_path / "sparse")
    history(sparse, "sparse")
    sparse.git("sparse-checkout", "set", "--cone", "inside")
    above = init(tmp_path / "above")
    above.git("submodule", "--quiet", "add", str(main.folder), "sub")
    history(GitRepository(above.folder / "sub"), "feature")
    return {
        "main": main.folder,
        "subfolder": main.folder / "inside",
        "linked": tree.folder,
        "linked subfolder": tree.folder / "inside",
        "bare": bare.folder,
        "linked to bare": far.folder,
        "detached": detached.folder,
        "sparse": sparse.folder,
        "submodule": above.folder / "sub",
    }


def expected(folder: Path, ref: str, variables: dict[str, str] | None = None) -> str | None:
    done = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"],
        cwd=folder, env={**ENVIRONMENT, **(variables or {})}, capture_output=True, check=False,
    )  # fmt: skip
    return done.stdout.decode().strip() if done.returncode == 0 else None


def on_the_command_line(folder: Path, ref: str) -> str:
    here = Path.cwd()
    os.chdir(folder)
    try:
        return run_workspace.choice_from(f"git:{ref}").base
    finally:
        os.chdir(here)


def in_check_and_diff(folder: Path, ref: str) -> str:
    found = project.repository_of(folder)
    assert found is not None
    return project.commit_of(found, ref)


def on_the_server(folder: Path, ref: str) -> str:
    return chosen_workspace("git", str(folder), ref)["base"]


def in_an_import(folder: Path, ref: str) -> str | None:
    return open_allowed(folder).commit_named(ref)


def of_an_agent(folder: Path, ref: str) -> str:
    """Climpt's `execution.worktree`, which names no ref."""
    choice = run_workspace.worktree_around(folder)
    assert ref == "HEAD"
    assert choice is not None
    return choice.base


Way = Callable[[Path, str], str | None]
COMMAND_LINE: tuple[Way, ...] = (on_the_command_line, in_check_and_diff)
SERVER: tuple[Way, ...] = (on_the_server, in_an_import)


def commit_by(way: Way, folder: Path, ref: str) -> str | None:
    try:
        return way(folder, ref)
    except (Trouble, RepositoryRefused):
        return None


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Forget the repositories of the test before."""
    project.root_of.cache_clear()
    project._opened.cache_clear()


def test_every_ref_is_the_one_of_git(
    places: dict[str, Path], settings: object, tmp_path: Path
) -> None:
    settings.SIGNALBOX_REPOSITORIES = [str(tmp_path)]  # type: ignore[attr-defined]
    assert set(places) == set(PLACES)
    differences = []
    for name, folder in places.items():
        inside = "subfolder" in name
        ways = COMMAND_LINE if inside else (*COMMAND_LINE, *SERVER)
        for ref in REFS:
            wanted = expected(folder, ref)
            more = (of_an_agent,) if ref == "HEAD" else ()
            for way in (*ways, *more):
                found = commit_by(way, folder, ref)
                if found != wanted:
                    differences.append((name, ref, way.__name__, found, wanted))
    assert differences == []
    heads = {name: expected(folder, "HEAD") for name, folder in places.items()}
    assert len({heads[name] for name in ("main", "linked", "linked to bare", "detached")}) == 4


def test_the_variables_of_git_name_the_repository(
    places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a hook, or with a repository of dotfiles."""
    home = tmp_path / "home"
    home.mkdir()
    for folder, control in ((home, places["bare"]), (places["main"], places["bare"])):
        variables = {"GIT_DIR": str(control), "GIT_WORK_TREE": str(folder)}
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        project.root_of.cache_clear()
        project._opened.cache_clear()
        for ref in ("HEAD", "HEAD~1", "feature", "nowhere"):
            for way in COMMAND_LINE:
                wanted = expected(folder, ref, variables)
                assert commit_by(way, folder, ref) == wanted, (way, folder, ref)


def test_a_run_begins_at_the_commit_of_its_work_tree(places: dict[str, Path]) -> None:
    """The work tree of a run is linked to the repository that all trees share."""
    here = Path.cwd()
    os.chdir(places["linked"])
    try:
        choice = run_workspace.choice_from("git:")
    finally:
        os.chdir(here)
    assert choice.base == expected(places["linked"], "HEAD")
    assert choice.path == str(places["main"] / ".git")
