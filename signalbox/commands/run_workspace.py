"""The workspace of `signalbox run`: made for the run, and closed after every end of it.

A run that was killed leaves its work tree. The next run on the same repository saves what it had
changed under its ref; with `--log` the killed run itself continues in it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from signalbox.commands.errors import UNREADABLE, Trouble
from workflows.errors import CallerError
from workflows.repos import kept_branches, run_changes, worktrees
from workflows.repos.repository import git_dirs
from workflows.runner import workspaces
from workflows.runner.left_processes import end_left_processes
from workflows.runner.workspaces import (
    RunPlace,
    Workspace,
    WorkspaceChanges,
    WorkspaceChoice,
)

GIT = "git:"
OWNER = "pid"


def choice_from(spec: str) -> WorkspaceChoice:
    """The workspace of `--workspace`: a folder, `git:REF` of the repository around the working
    directory, or "" for a copy of the pack. Raises Trouble."""
    if not spec:
        return WorkspaceChoice()
    if not spec.startswith(GIT):
        folder = Path(spec).resolve()
        if not folder.is_dir():
            raise Trouble(f"There is no folder {spec}.")
        return WorkspaceChoice(kind="folder", path=str(folder))
    return _worktree_of(Path.cwd(), spec.removeprefix(GIT))


def worktree_around(pack: Path) -> WorkspaceChoice | None:
    """A work tree of the repository that a pack is in; None outside a repository."""
    try:
        return _worktree_of(pack, "")
    except Trouble:
        return None


def _worktree_of(folder: Path, ref: str) -> WorkspaceChoice:
    try:
        repository = git_dirs(folder, upward=True)
        base = worktrees.resolve(repository.control, ref)
    except CallerError as refused:
        raise Trouble(refused.message, hint=refused.hint) from refused
    return WorkspaceChoice(kind="git", path=str(repository.common), ref=ref or "HEAD", base=base)


class RunWorkspace:
    """The workspace of one run. Nothing is made before the first tool or command needs it."""

    def __init__(self, run_id: str, choice: WorkspaceChoice, files: Mapping[str, bytes]) -> None:
        self.place = RunPlace(root=_root(), name=run_id, choice=choice, files=files)

    def open(self) -> Workspace:
        """The workspace, with what an earlier part of the run had changed. Raises Trouble."""
        fresh = not (self.place.folder / workspaces.READY).exists()
        try:
            opened = workspaces.open_workspace(self.place)
            if self.place.choice.kind != "pack":
                (self.place.folder / OWNER).write_text(str(os.getpid()))
            if fresh and self.place.choice.kind == "git":
                self._restore()
        except CallerError as refused:
            raise Trouble(refused.message, hint=refused.hint) from refused
        return opened

    def close(self, message: str) -> WorkspaceChanges | None:
        """The changes of the run; None if it had no use for a workspace. Raises Trouble."""
        if not workspaces.is_open(self.place):
            return self._saved_earlier()
        try:
            changes = workspaces.changes_of(self.place, message=message)
        except CallerError as failed:
            raise Trouble(
                f"{failed.message} The work tree stays at {self.place.folder}.", hint=failed.hint
            ) from failed
        self.remove()
        return changes

    def remove(self) -> None:
        """Remove the workspace, also a copy of the pack, which has no page later."""
        workspaces.remove(self.place)
        worktrees.remove_folder(self.place.folder)

    def keep_branch(self, branch: str, changes: WorkspaceChanges) -> str:
        """Make a branch of the changes, and delete the ref. Raises Trouble."""
        repository = Path(self.place.choice.path)
        try:
            commit = kept_branches.keep_branch(repository, branch, changes.commit)
        except CallerError as refused:
            kept = f"The changes are kept in {changes.ref}."
            raise Trouble(f"{refused.message} {kept}", hint=refused.hint) from refused
        run_changes.forget(repository, changes.ref)
        return commit

    def save_interrupted(self) -> None:
        """Save and remove the work trees that killed runs left in this repository."""
        if self.place.choice.kind != "git" or not self.place.root.is_dir():
            return
        for folder in self.place.root.iterdir():
            choice = workspaces.recorded(folder)
            if folder == self.place.folder or choice is None or _is_alive(folder):
                continue
            if choice.path == self.place.choice.path:
                _save(RunWorkspace(folder.name, choice, {}))

    def _restore(self) -> None:
        repository = Path(self.place.choice.path)
        commit = run_changes.saved_commit(repository, self.place.name)
        if commit:
            worktrees.restore(self.place.worktree, commit)

    def _saved_earlier(self) -> WorkspaceChanges | None:
        """The changes of an earlier part of the run, if no later one touched them."""
        choice = self.place.choice
        if choice.kind != "git":
            return None
        repository = Path(choice.path)
        commit = run_changes.saved_commit(repository, self.place.name)
        if not commit:
            return None
        changes = run_changes.changes(repository, base=choice.base, commit=commit)
        return WorkspaceChanges(
            kind="git",
            files=changes.files,
            diff=changes.diff,
            base=choice.base,
            commit=commit,
            ref=f"{worktrees.KEPT_REFS}{self.place.name}",
        )


def check_branch(choice: WorkspaceChoice, branch: str) -> None:
    """Raise Trouble unless a run in this workspace can leave the branch."""
    if choice.kind != "git":
        raise Trouble(
            "--keep-branch needs a git work tree.",
            hint="Add --workspace git:HEAD.",
            code=UNREADABLE,
        )
    try:
        kept_branches.check_branch(Path(choice.path), branch)
    except CallerError as refused:
        raise Trouble(refused.message, hint=refused.hint) from refused


def _save(left: RunWorkspace) -> None:
    end_left_processes(left.place.name)
    with suppress(Trouble, OSError):
        changes = left.close(f"Interrupted run {left.place.name[:8]}")
        if changes is not None and changes.ref:
            message = f"signalbox: The changes of an interrupted run are kept in {changes.ref}."
            print(message, file=sys.stderr)


def _is_alive(folder: Path) -> bool:
    try:
        pid = int((folder / OWNER).read_text())
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _root() -> Path:
    """A folder of this user alone, so that no other user can put a work tree there."""
    root = Path(tempfile.gettempdir()).resolve() / f"signalbox-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    status = root.lstat()
    if status.st_uid != os.getuid() or root.is_symlink():
        raise Trouble(
            f"{root} belongs to another user.", hint="Set TMPDIR to a folder of your own."
        )
    root.chmod(0o700)
    return root


def workspace_fields(choice: WorkspaceChoice) -> dict[str, Any]:
    """The field `workspace` of `run.started`; none for a copy of the pack."""
    return {} if choice.kind == "pack" else {"workspace": choice.to_json()}
