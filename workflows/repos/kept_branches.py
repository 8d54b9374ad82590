"""Branches that keep the changes of a run."""

from __future__ import annotations

from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.repos.authors import Author
from workflows.repos.git import Git, GitFailed
from workflows.repos.worktrees import git_in
from workflows.repos.writes import check_places, set_ref


def check_branch(repository: Path, branch: str) -> None:
    """Raise RepositoryRefused if no branch of this name can be made."""
    git = git_in(repository)
    is_valid = (
        bool(branch) and not branch.startswith("-") and branch != "HEAD" and "\0" not in branch
    )
    if not is_valid or git.attempt("check-ref-format", f"refs/heads/{branch}").returncode:
        raise RepositoryRefused(f"{branch!r} is not a valid branch name.", where="branch")
    if _exists(git, f"refs/heads/{branch}"):
        raise _taken(git, branch)


def keep_branch(
    repository: Path, branch: str, commit: str, *, message: str = "", author: Author | None = None
) -> str:
    """Make a branch at a run's commit, with another message if one is given. Returns the commit of
    the branch. Raises RepositoryRefused."""
    check_branch(repository, branch)
    git = git_in(repository).extended((author or Author()).environment())
    ref = f"refs/heads/{branch}"
    check_places(git, ref)
    try:
        if message.strip():
            commit = git.text(
                "commit-tree", f"{commit}^{{tree}}", "-p", f"{commit}^", "-F", "-",
                stdin=f"{message.strip()}\n".encode(),
            )  # fmt: skip
        set_ref(git, ref, commit, old="0" * len(commit))
    except GitFailed as failed:
        raise RepositoryRefused(
            f"The branch {branch!r} cannot be made: {failed.message}", where="branch"
        ) from None
    return commit


def _exists(git: Git, ref: str) -> bool:
    return git.attempt("rev-parse", "--verify", "--quiet", ref).returncode == 0


def _taken(git: Git, branch: str) -> RepositoryRefused:
    free = next(
        name
        for number in range(2, 10_000)
        if not _exists(git, f"refs/heads/{(name := f'{branch}-{number}')}")
    )
    return RepositoryRefused(
        f"The branch {branch!r} exists already; existing branches are never moved.",
        hint=f"{free!r} is free.",
        where="branch",
        free=free,
    )
