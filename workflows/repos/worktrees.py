"""Work trees of a run: a private clone of a local repository, made for the run.

The clone borrows the objects of the repository, which commands can read but not write. Its own git
directory is the run's: the server never reads it. `run_changes` has what is left of it after the
run. The user's work tree, index, HEAD and branches stay as they are.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.repos.authors import Author
from workflows.repos.git import Git
from workflows.repos.own_directory import (
    STORAGE,
    TREES,
    borrowed,
    make_directory,
    settings_of,
)
from workflows.security.file_modes import mask_of_others

PREFIX = "signalbox-"
"""Start of the name of every work tree that is made here."""
KEPT_REFS = "refs/signalbox/runs/"
TIMEOUT = 600.0
"""Seconds for one git command; the checkout of a large repository takes minutes."""
OBJECTS = "objects.json"
"""File next to a work tree with the folders of objects that it borrows, written once."""
SAVED = "saved"
"""Folder next to a work tree in which its changes become objects."""
_TREE_SETTINGS = {"core.fileMode": "true", "core.symlinks": "true"}
"""Settings of a work tree that its repository may override."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worktree:
    """A work tree at `folder` of the repository whose `.git` folder is `repository`. `base` is the
    commit it began at, `name` that of the run. `allowed`: folders below which its objects may be;
    None: any folder of objects."""

    repository: Path
    folder: Path
    base: str
    name: str
    allowed: Sequence[Path] | None = None

    @property
    def source(self) -> Git:
        """Git in the repository, without its work tree."""
        return git_in(self.repository)

    @property
    def is_whole(self) -> bool:
        return self.folder.is_dir() and (self.folder.parent / OBJECTS).is_file()

    def objects(self) -> Sequence[Path]:
        """The folders of objects that it borrows, as they were when it was made. Raises
        RepositoryRefused if another folder is at one of these places since."""
        named = json.loads((self.folder.parent / OBJECTS).read_bytes())
        for place in named:
            if os.path.realpath(place) != place:
                raise RepositoryRefused(
                    f"{place} leads to another folder since the start of the run.",
                    where="workspace",
                )
        return [Path(place) for place in named]

    def git(self, control: Path) -> Git:
        """Git in the work tree with this git directory."""
        stored = settings_of(self.source, (*STORAGE, *TREES))
        return Git(
            folder=self.folder,
            config={**_TREE_SETTINGS, **stored},
            variables={"GIT_DIR": str(control), "GIT_WORK_TREE": str(self.folder)},
            timeout=TIMEOUT,
            mask=mask_of_others(),
        )

    def environment(self) -> dict[str, str]:
        """Variables for git of the commands of a pack: an author, because there is no
        configuration of a user."""
        return {**Author().environment(), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}


def git_in(repository: Path) -> Git:
    """Git in a repository whose `.git` folder this is, without its work tree."""
    return Git(
        folder=repository,
        variables={"GIT_DIR": str(repository)},
        timeout=TIMEOUT,
        mask=mask_of_others(),
    )


def resolve(control: Path, ref: str) -> str:
    """The commit of a ref, as it is meant in the work tree of this git folder. Raises
    RepositoryRefused."""
    wanted = ref.strip() or "HEAD"
    found = ""
    if not wanted.startswith("-") and "\0" not in wanted:
        asked = ("rev-parse", "--verify", "--quiet", f"{wanted}^{{commit}}")
        found = git_in(control).attempt(*asked).stdout.decode().strip()
    if not found:
        raise RepositoryRefused(
            f"The repository has no commit {wanted[:100]!r}.",
            hint="Name a branch, a tag or a commit.",
            where="workspace",
        )
    return found


def add(tree: Worktree) -> None:
    """Make the work tree. Remains of an earlier attempt are removed first. Raises
    RepositoryRefused."""
    remove(tree)
    tree.folder.mkdir(parents=True)
    try:
        objects = borrowed(tree.repository / "objects", tree.allowed)
        control = tree.folder / ".git"
        make_directory(control, tree.source, objects)
        git = tree.git(control)
        listed = tree.source.text("for-each-ref", "--format=%(objectname) %(refname)").splitlines()
        refs = [line for line in listed if KEPT_REFS not in line]
        (control / "packed-refs").write_bytes(os.fsencode("\n".join(refs) + "\n"))
        (control / "HEAD").write_text(f"{tree.base}\n")
        with (control / "config").open("a") as config:
            for key, value in {**_TREE_SETTINGS, **git.config}.items():
                section, _, name = key.partition(".")
                config.write(f"[{section}]\n\t{name} = {value}\n")
        git.run("reset", "--hard", "--quiet", "--no-recurse-submodules", tree.base)
        record = tree.folder.parent / OBJECTS
        record.write_text(json.dumps([str(place) for place in objects]))
    except RepositoryRefused as refused:
        remove(tree)
        raise RepositoryRefused(
            f"The work tree cannot be made: {refused.message}",
            hint=refused.hint,
            where="workspace",
        ) from None


def restore(tree: Worktree, commit: str) -> None:
    """Give a fresh work tree the content of a commit, as changes to its base that are not yet
    staged. Raises GitFailed."""
    git = tree.git(tree.folder / ".git")
    git.run("read-tree", "--reset", "-u", commit)
    git.run("reset", "--quiet", "--mixed", tree.base)


def remove(tree: Worktree) -> None:
    """Remove the work tree with its git directory. Idempotent."""
    remove_folder(tree.folder)
    remove_folder(tree.folder.parent / SAVED)


def remove_folder(folder: Path) -> None:
    """Delete a folder, a file or a link. A missing one is no error."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.is_dir():
        make_writable(folder)
        for place, folders, _ in os.walk(folder):
            for name in folders:
                make_writable(Path(place, name))
        shutil.rmtree(folder)


def make_writable(folder: Path) -> None:
    """A command may have left folders without write permission."""
    if not folder.is_symlink() and folder.stat().st_mode & stat.S_IRWXU != stat.S_IRWXU:
        with suppress(OSError):
            folder.chmod(stat.S_IRWXU)
