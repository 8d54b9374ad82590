"""The git repository around a folder: its root, ignored files and changed files.

Git runs with a fixed list of arguments and without any program of the repository's configuration.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from signalbox.commands.errors import Trouble
from workflows.errors import RepositoryRefused
from workflows.repos.git import Git, lines_of

REGULAR = ("100644", "100755")
"""Modes of files that are no links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A work tree. `root` is its top folder."""

    root: Path
    git: Git


@cache
def root_of(folder: Path) -> Path | None:
    """The work tree that `GIT_DIR` and `GIT_WORK_TREE` name, if this folder is in it, or the
    nearest folder, from this one upwards, that contains `.git`; None outside a repository."""
    named = _named_place()
    if named and folder.is_relative_to(named["GIT_WORK_TREE"]):
        return Path(named["GIT_WORK_TREE"])
    for place in (folder, *folder.parents):
        if (place / ".git").exists():
            return place
    return None


def repository_of(folder: Path) -> Repository | None:
    """The repository around a folder, or None. Raises Trouble if git cannot run."""
    root, place = root_of(folder), _named_place()
    if root is None and (folder / "HEAD").is_file() and (folder / "objects").is_dir():
        root, place = folder, {"GIT_DIR": str(folder)}  # A bare repository.
    elif root is None:
        return None
    elif str(root) != place.get("GIT_WORK_TREE"):
        place = {}
    return _opened(root, tuple(place.items()))


@cache
def _opened(root: Path, place: tuple[tuple[str, str], ...]) -> Repository:
    git = Git(folder=root, variables=dict(place)).extended({}, {"safe.directory": "*"})
    try:
        return Repository(root=root, git=git.without_filters())
    except RepositoryRefused as refused:
        raise Trouble(_about(refused), hint=refused.hint) from refused


def _named_place() -> dict[str, str]:
    """The git folder and the work tree that the environment names, if it names both."""
    named = {name: os.environ.get(name, "") for name in ("GIT_DIR", "GIT_WORK_TREE")}
    if not all(named.values()):
        return {}
    return {name: os.path.normpath(Path(path).absolute()) for name, path in named.items()}


@cache
def ignored_below(folder: Path) -> frozenset[str]:
    """As `ignored_now`, read once for each folder."""
    return ignored_now(folder)


def ignored_now(folder: Path) -> frozenset[str]:
    """Absolute paths below a folder that `.gitignore` excludes, an excluded folder once. Empty
    outside a repository, without git, and for a folder that is itself excluded."""
    if root_of(folder) is None:
        return frozenset()
    try:
        repository = repository_of(folder)
        assert repository is not None
        if not repository.git.attempt("check-ignore", "--quiet", "--", str(folder)).returncode:
            return frozenset()
        done = repository.git.attempt(
            *("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"),
            *("--", str(folder)),
        )
    except (Trouble, RepositoryRefused):
        return frozenset()
    root = repository.root
    return frozenset(os.path.normpath(root / name) for name in lines_of(done.stdout))


def commit_of(repository: Repository, revision: str) -> str:
    """The id of a commit. Raises Trouble for a name that is not a revision here."""
    refused = Trouble(
        f"There is no revision {revision!r} in {repository.root}.",
        hint="Name a commit, branch or tag. A shallow clone needs `git fetch` of it first.",
    )
    if not revision or revision.startswith("-") or "\0" in revision:
        raise refused
    done = _attempt(
        repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    name = done.decode().strip()
    if not name:
        raise refused
    return name


def fork_point(repository: Repository, revision: str) -> str:
    """The commit at which the checked-out commit left a revision. Raises Trouble for an unknown
    revision."""
    commit = commit_of(repository, revision)
    head = _attempt(repository, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode()
    if head.strip():
        shared = _attempt(repository, "merge-base", commit, head.strip()).decode().split()
        commit = shared[0] if shared else commit
    return commit


def changed_since(repository: Repository, revision: str) -> frozenset[Path]:
    """Files of the work tree that differ from the point at which it left a revision: changed,
    new and removed ones. Raises Trouble for an unknown revision."""
    commit = fork_point(repository, revision)
    compare = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "-z")
    changed = lines_of(_attempt(repository, *compare, commit, "--"))
    new = lines_of(_attempt(repository, "ls-files", "-z", "--others", "--exclude-standard", "--"))
    return frozenset(repository.root / name for name in (*changed, *new))


def files_at(
    repository: Repository, commit: str, wanted: Callable[[str], bool], most_bytes: int
) -> dict[str, bytes]:
    """The files of a commit by path, without links and without files that are too large."""
    listed = _attempt(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--")
    blobs: dict[str, str] = {}
    for entry in lines_of(listed):
        about, _, path = entry.partition("\t")
        mode, _, name, size = about.split()
        if mode in REGULAR and size.isdecimal() and int(size) <= most_bytes and wanted(path):
            blobs[path] = name
    request = "".join(f"{name}\n" for name in blobs.values()).encode()
    answer = io.BytesIO(repository.git.run("cat-file", "--batch", stdin=request) if blobs else b"")
    files = {}
    for path in blobs:
        length = int(answer.readline().split()[2])
        files[path] = answer.read(length)
        answer.read(1)
    return files


def _attempt(repository: Repository, *arguments: str) -> bytes:
    """Standard output, empty if the command fails."""
    try:
        done = repository.git.attempt(*arguments)
    except RepositoryRefused as refused:
        raise Trouble(_about(refused), hint=refused.hint) from refused
    return done.stdout if done.returncode == 0 else b""


def _about(refused: RepositoryRefused) -> str:
    return refused.message.replace("This server", "This machine")
