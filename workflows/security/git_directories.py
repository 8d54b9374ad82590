"""Git directories: folders whose configuration git reads, so that it names programs to run.

Git takes every folder with `HEAD`, `objects` and `refs` for a repository, with any name.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from workflows.errors import RepositoryRefused

GIT_NAMES = (".git", "git~1")
"""Names of git's own folder or file, which may hold credentials and names programs to run."""
_PARTS = ("objects", "refs")


def check_folder(folder: Path, allowed: Sequence[Path] | None = None) -> None:
    """Raise RepositoryRefused unless runs may work in this folder, as it is now. `allowed`: folders
    below which it must be; None: anywhere."""
    if not folder.is_dir():
        raise RepositoryRefused(f"There is no folder {folder}.", where="workspace")
    real = folder.resolve()
    if allowed is not None and not (
        real == folder and any(real.is_relative_to(root) for root in allowed)
    ):
        raise RepositoryRefused("Runs may not work in this folder.", where="workspace")
    if belongs_to_git(real):
        raise RepositoryRefused(
            f"The folder {folder} belongs to git, so runs may not work in it.",
            hint="Choose a work tree of the repository, or another folder.",
            where="workspace",
        )


def belongs_to_git(path: Path) -> bool:
    """True if this folder is a git directory or is in one."""
    return any(is_git_directory(place) for place in (path, *path.parents))


def is_git_directory(folder: Path) -> bool:
    """True for a folder whose configuration git would read."""
    return folder.name.casefold() in GIT_NAMES or _has_its_parts(folder, ())


def enters_git_directory(root: Path, path: Path) -> bool:
    """True if a file at this path below `root` would be in a git directory: one that exists, or
    one that the file itself would complete."""
    place = root
    for name in path.relative_to(root).parts:
        if name.casefold() in GIT_NAMES or _has_its_parts(place, (name,)):
            return True
        place = place / name
    return _has_its_parts(place, ())


def lists_git_directory(names: Collection[str]) -> bool:
    """True if a folder with these entries is a git directory."""
    found = {name.casefold() for name in names}
    return "head" in found and ("commondir" in found or found.issuperset(_PARTS))


def git_directories_in(folder: Path) -> Iterator[Path]:
    """The git directories below a folder, and the files that stand for one; links are not
    followed."""
    for place, folders, names in os.walk(folder):
        here = Path(place)
        if here != folder and lists_git_directory((*folders, *names)):
            folders.clear()
            yield here
            continue
        for name in (*folders, *names):
            if name.casefold() in GIT_NAMES and not (here / name).is_symlink():
                yield here / name
        folders[:] = [name for name in folders if name.casefold() not in GIT_NAMES]


def _has_its_parts(folder: Path, more: tuple[str, ...]) -> bool:
    """True if the folder with further entries is a git directory."""
    wanted = ("HEAD", "commondir", *_PARTS)
    there = [name for name in wanted if os.path.lexists(folder / name)]
    return lists_git_directory((*there, *more))
