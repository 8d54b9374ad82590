"""The work tree of the folder that the server has opened, and commits on what it has checked out.

A commit has the files of one pack, as `git commit --only` makes it: the index, also what is staged
in it, and every other file stay as they are. No program runs: neither hooks nor a signing program.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import User

from workflows.errors import RepositoryRefused
from workflows.models import Pack
from workflows.repos.branches import Branch, target_branch
from workflows.repos.commits import Person
from workflows.repos.export_plan import Plan
from workflows.repos.git import GitFailed
from workflows.repos.repository import Repository, open_around
from workflows.repos.scratch import Scratch, index_lines
from workflows.repos.writes import check_places, set_ref
from workflows.selectors.opened_folder import checkout_of, opened_folder, origin_of

HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout")
"""The hooks that git runs for a commit or a new branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The work tree around the opened folder. `prefix`: the folder's path in it."""

    repository: Repository
    folder: Path
    prefix: str

    @property
    def current(self) -> str:
        """The branch that is checked out; "" for a commit without one."""
        named = self.repository.git.attempt("symbolic-ref", "--quiet", "HEAD").stdout
        return os.fsdecode(named).strip().removeprefix("refs/heads/")

    @property
    def head(self) -> str:
        """HEAD, as the base of a commit; "" before the first commit."""
        return "HEAD" if self.repository.commit_named("HEAD") else ""

    def branch(self, name: str) -> Branch:
        """The checked-out branch, or a new one with this name. Raises RepositoryRefused."""
        current = self.current
        name = name or current
        if name and name == current:
            return Branch(name=name, tip=self.repository.commit_named("HEAD"))
        if not name:
            raise RepositoryRefused(
                "No branch is checked out.", hint="Enter the name of a new branch.", where="branch"
            )
        found = target_branch(self.repository, name)
        if found.tip is not None:
            raise RepositoryRefused(
                f"The branch {name!r} exists, and is not the one that is checked out.",
                hint=f"Run `git switch {name}`, or enter the name of a new branch.",
                where="branch",
            )
        return found

    def setting(self, key: str, kind: str = "") -> str:
        """The last value that the user, the machine or the repository gives a setting; "" for none.
        `kind`: `bool` or `path`."""
        typed = (f"--type={kind}",) if kind else ()
        asked = ("config", "--null", "--show-scope", *typed, "--get-all", key)
        listed = os.fsdecode(self.repository.git.attempt(*asked).stdout).split("\0")
        values = zip(listed[0::2], listed[1::2], strict=False)
        return next((value for scope, value in [*values][::-1] if scope != "command"), "")

    @property
    def hooks(self) -> Sequence[str]:
        """The hooks that would run if git itself committed here."""
        named = self.setting("core.hooksPath", "path")
        folder = (
            _top(self.folder, self.prefix) / named if named else self.repository.common / "hooks"
        )
        return [name for name in HOOKS if os.access(folder / name, os.X_OK)]

    @property
    def signs(self) -> bool:
        """True if git itself would sign a commit here."""
        return self.setting("commit.gpgSign", "bool") == "true"

    def person(self, user: User) -> Person:
        """Git's own author here; without one, this user."""
        name, email = self.setting("user.name"), self.setting("user.email")
        if name and email:
            return Person(name=name, email=email)
        return Person(name=user.get_full_name() or user.get_username(), email=user.email)

    def absent(self, paths: set[str]) -> frozenset[str]:
        """The paths without a file in the folder."""
        return frozenset(path for path in paths if not os.path.lexists(self.folder / path))

    def move(self, area: Scratch, plan: Plan, to: str, subject: str) -> None:
        """Let the branch name a commit, check it out and give the index its entries. Files of the
        work tree stay. Raises RepositoryRefused."""
        git, branch = self.repository.git, plan.branch
        current = self.current
        is_new = branch.name != current
        check_places(git, branch.ref)
        with self._locked_index(area, plan):
            old = branch.tip or "0" * self.repository.hash_length
            try:
                set_ref(git, branch.ref, to, old=old, message=f"commit: {subject}")
            except GitFailed as failed:
                raise RepositoryRefused(
                    f"The branch {branch.name!r} has moved in the meantime.",
                    hint="Look at the preview again, then commit.",
                    where="branch",
                ) from failed
            if is_new:
                about = f"checkout: moving from {current or 'HEAD'} to {branch.name}"
                git.run("symbolic-ref", "-m", about, "HEAD", branch.ref)

    @contextmanager
    def _locked_index(self, area: Scratch, plan: Plan) -> Iterator[None]:
        """Hold git's lock of the index, and replace the index if nothing is raised."""
        index = self.repository.control / "index"
        lock, copy = index.with_name("index.lock"), area.folder / "their-index"
        try:
            handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError as error:
            raise GitFailed(f"Unable to create '{lock}': File exists.") from error
        try:
            if index.exists():
                shutil.copy(index, copy)
            for part in self.repository.control.glob("sharedindex.*"):
                shutil.copy(part, area.folder / "git")
            if plan.entries:
                # In the server's own directory: while git writes an index, it runs the filters of
                # files that changed at the same time.
                git = area.git.extended({"GIT_INDEX_FILE": str(copy)})
                lines = index_lines(plan.entries, area.hash_length)
                git.run("update-index", "-z", "--index-info", stdin=lines)
            with os.fdopen(handle, "wb") as file:
                handle = -1
                file.write(copy.read_bytes() if copy.exists() else b"")
            if index.exists():
                # Git compares it with the times of the files.
                shutil.copystat(index, lock)
            yield
            if plan.entries:
                lock.replace(index)
        finally:
            if handle >= 0:
                os.close(handle)
            with suppress(FileNotFoundError):
                lock.unlink()


def places_of(folder: Path) -> Sequence[Path]:
    """The folders that the work of runs in an opened folder needs: the folder and, in a repository,
    its whole work tree and its git directory."""
    found = open_around(folder)
    if found is None:
        return [folder]
    repository, prefix = found
    return [_top(folder, prefix), repository.common]


def _top(folder: Path, prefix: str) -> Path:
    return Path(*folder.parts[: len(folder.parts) - len(Path(prefix).parts)])


def checkout_with(pack: Pack) -> Checkout:
    """The work tree of the opened folder, for a commit of this pack. Raises RepositoryRefused."""
    folder = opened_folder()
    if folder is None or pack.origin != origin_of(folder):
        raise RepositoryRefused(
            "The pack is not in a folder that `signalbox open` serves.",
            hint="Export it to a branch of a repository.",
            where="pack",
        )
    found = open_around(folder)
    if found is None:
        raise RepositoryRefused(
            f"{folder} is in no git repository.",
            hint="Run `git init` in it, then try again.",
            where="repository",
        )
    _, _, unfinished = checkout_of(folder).partition(", ")
    repository, prefix = found
    if unfinished or repository.git.run("ls-files", "--unmerged"):
        raise RepositoryRefused(
            f"Git is {unfinished or 'merging'} in {folder}, and has not ended it.",
            hint="End it with git, for example with `git status` as a start.",
            where="repository",
        )
    if pack.written != pack.head:
        raise RepositoryRefused(
            pack.unwritten or "The newest revision is not in the folder yet.",
            hint="Try again when the header shows it as saved.",
            where="pack",
        )
    return Checkout(repository=repository, folder=folder, prefix=prefix)
