"""A repository on this machine: where it is, and which commits it has."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from workflows.errors import RepositoryRefused
from workflows.repos.git import Git, GitFailed
from workflows.repos.own_directory import borrowed


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """An opened repository. `control` holds HEAD, `common` the objects and branches; they differ in
    a linked work tree only."""

    git: Git
    control: Path
    common: Path
    shallow: bool
    hash_length: int

    @property
    def source(self) -> str:
        """The name of the work tree in records of imports and exports: its `.git`. Linked work
        trees have other branches, so each is a source of its own."""
        try:
            linked = os.fsdecode((self.control / "gitdir").read_bytes().rstrip(b"\n"))
        except OSError:
            return str(self.common)
        return os.path.normpath(self.control / linked)

    def commit_named(self, name: str) -> str | None:
        """The id of a commit, branch or tag; None if the repository has no such commit."""
        if not name or name.startswith("-") or not _plain(name):
            return None
        done = self.git.attempt("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return done.stdout.decode().strip() or None if done.returncode == 0 else None

    def has_commit(self, commit: str) -> bool:
        """True if this full id is a commit here."""
        return len(commit) == self.hash_length and self.commit_named(commit) == commit

    def contains(self, newer: str, older: str) -> bool:
        """True if `older` is `newer` or one of its ancestors."""
        done = self.git.attempt("merge-base", "--is-ancestor", older, newer)
        if done.returncode > 1:
            raise GitFailed(done.stderr.decode(errors="replace"))
        return done.returncode == 0

    def is_referenced(self, commit: str) -> bool:
        """True if a branch, a tag or HEAD contains the commit."""
        head = self.commit_named("HEAD")
        if head and self.contains(head, commit):
            return True
        found = self.git.text(
            "for-each-ref", "--count=1", "--format=%(refname)", "--contains", commit
        )
        return bool(found)

    def newest(self, commits: Sequence[str]) -> str | None:
        """The commit that contains all of these; None if none of them does."""
        candidates = dict.fromkeys(commits)
        return next(
            (one for one in candidates if all(self.contains(one, other) for other in candidates)),
            None,
        )

    def same_files(self, one: str, other: str, paths: Collection[str]) -> bool:
        """True if two commits have the same files at these paths."""
        if one == other or not paths:
            return True
        done = self.git.attempt("diff-tree", "--quiet", one, other, "--", *sorted(paths))
        return done.returncode == 0

    def tree_of(self, commit: str) -> str:
        """The id of a commit's tree."""
        return self.git.text("rev-parse", "--verify", f"{commit}^{{tree}}")


def open_allowed(path: Path) -> Repository:
    """A repository below one of the folders that the operator allowed. Raises RepositoryRefused."""
    roots = allowed_roots()
    if not roots:
        raise RepositoryRefused(
            "This server may not use repositories.",
            hint="Its operator can allow folders in SIGNALBOX_REPOSITORIES.",
            where="repository",
        )
    hint = f"Allowed folders: {', '.join(map(str, roots))}."
    real = path.resolve() if path.is_absolute() and _plain(str(path)) else None
    if real is None or not _inside(real, roots):
        raise RepositoryRefused(
            "The server may not use this folder.", hint=hint, where="repository"
        )
    repository = _opened(_trusted(real)) if real.is_dir() else None
    if repository is None:
        raise RepositoryRefused(
            f"There is no git repository in {path}.",
            hint="Enter the folder that contains `.git`, or a bare repository.",
            where="repository",
        )
    places = (repository.control, repository.common, (repository.common / "objects").resolve())
    if not all(_inside(place, roots) for place in places):
        raise RepositoryRefused(
            "The repository of this folder is in a folder that the server may not use.",
            hint=hint,
            where="repository",
        )
    borrowed(repository.common / "objects", roots)
    return repository


def open_bare(folder: Path) -> Repository | None:
    """A bare repository of the server's own; None if there is none."""
    if not (folder / "HEAD").is_file():
        return None
    return _opened(_trusted(folder))


def open_around(folder: Path) -> tuple[Repository, str] | None:
    """The repository whose work tree has this folder, and the folder's path in it; None if there is
    none that git trusts. For the command line, where the operator names the folder."""
    git = Git(folder=folder, variables={"GIT_CEILING_DIRECTORIES": ""}, user_settings=True)
    try:
        prefix = git.text("rev-parse", "--show-prefix").rstrip("/")
        repository = _opened(git)
    except RepositoryRefused:
        return None
    return (repository, prefix) if repository else None


class GitDirs(NamedTuple):
    """`control` has HEAD and the other refs of a work tree, `common` the branches and objects.
    They differ in a linked work tree only."""

    control: Path
    common: Path


def git_dirs(path: Path, *, upward: bool = False) -> GitDirs:
    """The git folders of the repository at `path`, which may be a work tree or a bare repository;
    `upward`: also of the one around it, or that `GIT_DIR` names. Raises RepositoryRefused."""
    place = {"GIT_CEILING_DIRECTORIES": "", **_place_of_caller()} if upward else {}
    is_there = path.is_absolute() and "\0" not in str(path) and path.is_dir()
    asked = ("rev-parse", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir")
    found = _trusted(path).extended(place).attempt(*asked) if is_there else None
    if found is None or found.returncode:
        raise RepositoryRefused(
            f"There is no git repository in {path}.",
            hint="Enter the folder that contains `.git`.",
            where="workspace",
        )
    control, common = os.fsdecode(found.stdout).splitlines()
    return GitDirs(Path(control).resolve(), Path(common).resolve())


def _place_of_caller() -> dict[str, str]:
    """The repository that the variables of the command line name, as git itself takes it."""
    names = ("GIT_DIR", "GIT_WORK_TREE")
    return {name: str(Path(os.environ[name]).absolute()) for name in names if os.environ.get(name)}


def _trusted(folder: Path) -> Git:
    """Git in a folder of any owner."""
    return Git(folder=folder, config={"safe.directory": "*"})


def allowed_roots() -> Sequence[Path]:
    """Folders below which the operator allows repositories."""
    from django.conf import settings  # The command line has no Django.

    return [Path(folder).resolve() for folder in settings.SIGNALBOX_REPOSITORIES]


def _opened(git: Git) -> Repository | None:
    asked = git.attempt(
        "rev-parse",
        "--path-format=absolute",
        "--absolute-git-dir",
        "--git-common-dir",
        "--is-shallow-repository",
        "--show-object-format",
    )
    if asked.returncode:
        output = asked.stderr.decode(errors="replace")
        if "not a git repository" in output:
            return None
        raise GitFailed(output)
    control, common, shallow, hashing = asked.stdout.decode(errors="surrogateescape").splitlines()
    return Repository(
        git=git.extended({"GIT_DIR": control, "GIT_COMMON_DIR": common}),
        control=Path(control).resolve(),
        common=Path(common).resolve(),
        shallow=shallow == "true",
        hash_length=64 if hashing == "sha256" else 40,
    )


def _inside(place: Path, roots: Sequence[Path]) -> bool:
    return any(place.is_relative_to(root) for root in roots)


def _plain(text: str) -> bool:
    """True for text that can be an argument of a program and a value in the database."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return all(ord(char) >= 32 for char in text)
