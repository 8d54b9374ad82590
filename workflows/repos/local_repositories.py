"""Local repositories and folders that the operator lets runs work in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.repos.repository import GitDirs, allowed_roots, git_dirs
from workflows.repos.worktrees import git_in, resolve
from workflows.security.git_directories import belongs_to_git, check_folder

MAX_LISTED = 100
DEPTH = 2
"""Levels below an allowed folder in which repositories are listed."""


def allowed_folder(path: str) -> Path:
    """The real folder. Raises RepositoryRefused unless the operator allows writes to it."""
    roots = allowed_roots()
    if not roots:
        raise RepositoryRefused(
            "Runs on this server work in a copy of their pack only.",
            hint="The operator can allow folders in SIGNALBOX_REPOSITORIES.",
            where="workspace",
        )
    given = Path(path)
    real = given.resolve() if given.is_absolute() and "\0" not in path else None
    if real is None or not _is_allowed(real):
        raise RepositoryRefused(
            "Runs may not work in this folder.",
            hint=f"Allowed folders: {', '.join(map(str, roots))}.",
            where="workspace",
        )
    if not real.is_dir():
        raise RepositoryRefused(f"There is no folder {path}.", where="workspace")
    return real


def allowed_repository(path: str) -> GitDirs:
    """The git folders of an allowed repository. Raises RepositoryRefused."""
    found = git_dirs(allowed_folder(path))
    if not all(map(_is_allowed, found)):
        raise RepositoryRefused(
            "The repository of this folder is in a folder that runs may not work in.",
            hint=f"Allowed folders: {', '.join(map(str, allowed_roots()))}.",
            where="workspace",
        )
    return found


def chosen_workspace(kind: str, path: str, ref: str) -> dict[str, str]:
    """The workspace of a new run as its options have it. A ref is resolved now, so that a run that
    starts later begins at the same commit. Raises RepositoryRefused."""
    if kind == "pack":
        return {}
    if kind == "folder":
        folder = allowed_folder(path)
        check_folder(folder)
        return {"kind": kind, "path": str(folder)}
    repository = allowed_repository(path)
    return {
        "kind": kind,
        "path": str(repository.common),
        "ref": ref or "HEAD",
        "base": resolve(repository.control, ref),
    }


def folders_for_runs() -> list[str]:
    """The allowed folders that a run can work in."""
    return [str(root) for root in allowed_roots() if not belongs_to_git(root)]


def local_repositories() -> list[dict[str, str | list[str]]]:
    """Repositories at or just below the allowed folders, each with its branches."""
    found: list[dict[str, str | list[str]]] = []
    for folder in _repositories():
        try:
            control = allowed_repository(str(folder)).control
            names = git_in(control).text(
                "for-each-ref", "--format=%(refname:short)", "--count=200", "refs/heads"
            )
        except RepositoryRefused:
            continue
        found.append({"path": str(folder), "branches": names.splitlines()})
        if len(found) >= MAX_LISTED:
            break
    return found


def _repositories() -> Iterator[Path]:
    for root in allowed_roots():
        if root.name != ".git":
            yield from _below(root, DEPTH)


def _below(folder: Path, levels: int) -> Iterator[Path]:
    bare = (folder / "objects").is_dir() and (folder / "HEAD").is_file()
    if bare or (folder / ".git").exists():
        yield folder
        return
    try:
        inside = sorted(folder.iterdir()) if levels else []
    except OSError:
        return
    for one in inside:
        if one.is_dir() and not one.is_symlink() and not one.name.startswith("."):
            yield from _below(one, levels - 1)


def _is_allowed(real: Path) -> bool:
    return any(real.is_relative_to(root) for root in allowed_roots())
