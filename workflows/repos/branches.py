"""The branch that an export writes: a new one, or one that no work tree uses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.repos.git import Git
from workflows.repos.repository import Repository

_PREFIX = "refs/heads/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A branch and its newest commit; None: it does not exist."""

    name: str
    tip: str | None

    @property
    def ref(self) -> str:
        return _PREFIX + self.name


def target_branch(repository: Repository, name: str) -> Branch:
    """The branch with this name. Raises RepositoryRefused if it cannot be written."""
    ref = _PREFIX + name
    if not _is_valid(repository.git, name):
        raise RepositoryRefused(
            f"{name!r} is not a valid branch name.",
            hint="Use letters, digits, `-`, `_` and `/`.",
            where="branch",
        )
    branches = _branches(repository)
    busy = _busy(repository)
    taken = branches | set(busy)
    if ref in busy:
        raise _taken(f"The branch {name!r} is checked out in {busy[ref]}.", _free(name, taken))
    blocking = next((other for other in taken if _collide(ref, other)), None)
    if blocking is not None:
        other = blocking.removeprefix(_PREFIX)
        raise _taken(
            f"{name!r} is not possible as the branch {other!r} exists.",
            _free(name.replace("/", "-"), taken),
        )
    if repository.git.attempt("symbolic-ref", "--quiet", ref).returncode == 0:
        raise RepositoryRefused(
            f"The branch {name!r} is an alias of another branch.",
            hint="Name the other branch.",
            where="branch",
        )
    return Branch(name=name, tip=repository.commit_named(ref) if ref in branches else None)


def _taken(message: str, free: str) -> RepositoryRefused:
    hint = f"Export to another branch and merge it with git; {free!r} is free."
    return RepositoryRefused(message, hint=hint, where="branch", free=free)


def _is_valid(git: Git, name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    if not name or name.startswith("-") or name == "HEAD" or "\0" in name:
        return False
    return git.attempt("check-ref-format", _PREFIX + name).returncode == 0


def _branches(repository: Repository) -> set[str]:
    return set(repository.git.text("for-each-ref", "--format=%(refname)", _PREFIX).splitlines())


def _busy(repository: Repository) -> dict[str, str]:
    """Branches that a work tree has checked out, or is about to move: branch → work tree."""
    busy: dict[str, str] = {}
    here = ""
    for line in repository.git.text("worktree", "list", "--porcelain").splitlines():
        key, _, value = line.partition(" ")
        if key == "worktree":
            here = value
        elif key == "branch":
            busy[value] = here
    for control in (repository.common, *(repository.common / "worktrees").glob("*")):
        for note in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
            started = _first_line(control / note)
            if started:
                ref = started if started.startswith("refs/") else _PREFIX + started
                busy.setdefault(ref, str(control))
    return busy


def _first_line(path: Path) -> str:
    try:
        return path.read_text(errors="replace").partition("\n")[0].strip()
    except OSError:
        return ""


def _collide(ref: str, other: str) -> bool:
    """True if one of two branch names would be the folder of the other."""
    return ref.startswith(other + "/") or other.startswith(ref + "/")


def _free(name: str, taken: set[str]) -> str:
    for number in range(2, 10_000):
        ref = f"{_PREFIX}{name}-{number}"
        if ref not in taken and not any(_collide(ref, other) for other in taken):
            return f"{name}-{number}"
    return f"{name}-new"
