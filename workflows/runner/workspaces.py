"""The workspace of a run: a copy of the pack, a folder, or a git work tree.

It is made on first use in the run's own place, found there again after a crash, and closed after
the run: its changes are computed, a copy stays for the run's page, a work tree is removed. Nothing
here needs a database, so that `signalbox run` uses it too.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, assert_never
from weakref import WeakValueDictionary

from workflows.repos import run_changes, worktrees
from workflows.repos.authors import Author
from workflows.repos.worktrees import Worktree
from workflows.runner import sandbox, workspace_diff
from workflows.runner.confinement import run_confined
from workflows.runner.effect_journal import EffectJournal, journal_folder
from workflows.runner.sandbox import CommandFiles
from workflows.runner.workspace_diff import Snapshot
from workflows.security.git_directories import check_folder, git_directories_in

Kind: TypeAlias = Literal["pack", "folder", "git"]
RECORD = "workspace.json"
READY = "ready"
"""File next to a work tree that is whole."""


class WorkspaceUnavailable(Exception):
    """The workspace of a run cannot be made, so the run cannot continue. The message is the
    reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceChoice:
    """The workspace that a run was started with. `path`: the folder, or the repository's `.git`
    folder; `ref`: where a work tree begins; `base`: its commit."""

    kind: Kind = "pack"
    path: str = ""
    ref: str = ""
    base: str = ""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> WorkspaceChoice:
        """The choice in a run's options."""
        choice = options.get("workspace") or {}
        return cls(
            **{name: choice[name] for name in ("kind", "path", "ref", "base") if choice.get(name)}
        )

    def to_json(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The folder that tools and commands work in, the variables that commands get there, and the
    files that they may use."""

    folder: Path
    files: CommandFiles
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceChanges:
    """The fields of `workspace.closed`. `commit` and `ref` are of a repository, "" elsewhere."""

    kind: Kind
    files: tuple[str, ...] = ()
    diff: str = ""
    base: str = ""
    commit: str = ""
    ref: str = ""
    left_out: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        values = {**asdict(self), "files": list(self.files), "left_out": list(self.left_out)}
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlace:
    """The place of one run's workspace: `root` holds those of all runs, `name` is the run's id.
    `files` are the pack's. `allowed`: folders below which runs may work; None on the command line,
    whose user names one."""

    root: Path
    name: str
    choice: WorkspaceChoice
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    allowed: Sequence[Path] | None = None

    @property
    def folder(self) -> Path:
        return self.root / self.name

    @property
    def worktree(self) -> Worktree:
        return Worktree(
            repository=Path(self.choice.path),
            folder=self.folder / f"{worktrees.PREFIX}{self.name[:12]}",
            base=self.choice.base,
            name=self.name,
            allowed=self.allowed,
        )


_locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
_locks_lock = threading.Lock()


def journal_of(place: RunPlace, key: str) -> EffectJournal:
    """The record of an effect of the run."""
    return EffectJournal(folder=journal_folder(place.root, place.name), key=key)


def open_workspace(place: RunPlace) -> Workspace:
    """The workspace, made on the first call. Blocks. Raises RepositoryRefused."""
    with _lock_of(place):
        match place.choice.kind:
            case "pack":
                folder = sandbox.workspace(place.root, place.name, place.files)
                return Workspace(folder=folder, files=CommandFiles(writable=(folder,)))
            case "folder":
                return _open_folder(place)
            case "git":
                return _open_worktree(place)
            case _:
                assert_never(place.choice.kind)


def is_open(place: RunPlace) -> bool:
    """Return True if the workspace was made and not yet closed."""
    if place.choice.kind == "pack":
        return place.folder.is_dir()
    return (place.folder / RECORD).is_file()


def changes_of(place: RunPlace, *, message: str, author: Author | None = None) -> WorkspaceChanges:
    """The changes of the run. In a repository, they are written as a commit that a ref holds.
    Raises RepositoryRefused."""
    kind = place.choice.kind
    match kind:
        case "git":
            saved = run_changes.save(
                place.worktree, confined=run_confined, message=message, author=author
            )
            return WorkspaceChanges(
                kind=kind,
                files=saved.files,
                diff=saved.diff,
                base=saved.base,
                commit=saved.commit,
                ref=saved.ref,
                left_out=saved.left_out,
            )
        case "folder":
            return _compared(kind, _read_snapshot(place.folder), Path(place.choice.path))
        case "pack":
            return _compared(kind, _pack_snapshot(place), place.folder)
        case _:
            assert_never(kind)


def remove(place: RunPlace) -> None:
    """Remove what was made for the run. A copy of the pack stays, and a folder is the user's."""
    worktrees.remove_folder(journal_folder(place.root, place.name))
    if place.choice.kind == "pack":
        return
    if place.choice.kind == "git":
        worktrees.remove(place.worktree)
    worktrees.remove_folder(place.folder)


def recorded(folder: Path) -> WorkspaceChoice | None:
    """The choice that is recorded in a run's place; None for a copy of a pack."""
    with suppress(OSError, ValueError, TypeError):
        return WorkspaceChoice(**json.loads((folder / RECORD).read_text()))
    return None


def _open_worktree(place: RunPlace) -> Workspace:
    tree = place.worktree
    ready = place.folder / READY
    if not (ready.is_file() and tree.is_whole):
        place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (place.folder / RECORD).write_text(json.dumps(place.choice.to_json()))
        worktrees.add(tree)
        ready.touch()
    own = _own_folders(place)
    return Workspace(
        folder=tree.folder,
        environment={**tree.environment(), **own},
        files=CommandFiles(
            writable=(tree.folder, *map(Path, own.values())), readable=tuple(tree.objects())
        ),
    )


def _open_folder(place: RunPlace) -> Workspace:
    folder = Path(place.choice.path)
    check_folder(folder, place.allowed)
    if not (place.folder / RECORD).is_file():
        place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_snapshot(place.folder, workspace_diff.take_snapshot(folder))
        (place.folder / RECORD).write_text(json.dumps(place.choice.to_json()))
    own = _own_folders(place)
    return Workspace(
        folder=folder,
        environment=own,
        files=CommandFiles(
            writable=(folder, *map(Path, own.values())),
            readable=tuple(git_directories_in(folder)),
        ),
    )


def _own_folders(place: RunPlace) -> dict[str, str]:
    """Home and temporary folder next to the workspace, so that a program's own files are no changes
    of the run."""
    folders = {"HOME": place.folder / "home", "TMPDIR": place.folder / "tmp"}
    for folder in folders.values():
        folder.mkdir(exist_ok=True, mode=0o700)
    return {name: str(folder) for name, folder in folders.items()}


def _compared(kind: Kind, before: Snapshot, folder: Path) -> WorkspaceChanges:
    after = workspace_diff.take_snapshot(folder)
    paths = {*before.files, *after.files}
    changed = sorted(path for path in paths if before.files.get(path) != after.files.get(path))
    diff = workspace_diff.unified_diff(before, after)
    return WorkspaceChanges(kind=kind, files=tuple(changed), diff=diff)


def _pack_snapshot(place: RunPlace) -> Snapshot:
    """The pack's files as of the start; a large one that did not change as a snapshot has it."""
    files: dict[str, workspace_diff.FileContent] = dict(place.files)
    now = workspace_diff.take_snapshot(place.folder).files
    for path, content in place.files.items():
        there = now.get(path)
        if isinstance(there, tuple) and (place.folder / path).read_bytes() == content:
            files[path] = there
    return Snapshot(files)


def _write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Write the contents to one file, and their lengths to another. A file that was not read has
    its size and time there."""
    index: dict[str, Any] = {}
    with (folder / "before.bin").open("wb") as contents:
        for path, content in snapshot.files.items():
            if isinstance(content, bytes):
                index[path] = contents.write(content)
            else:
                index[path] = list(content)
    (folder / "before.json").write_text(json.dumps(index))


def _read_snapshot(folder: Path) -> Snapshot:
    index = json.loads((folder / "before.json").read_text())
    files: dict[str, workspace_diff.FileContent] = {}
    with (folder / "before.bin").open("rb") as contents:
        for path, entry in index.items():
            size = isinstance(entry, int)
            files[path] = contents.read(entry) if size else (entry[0], entry[1])
    return Snapshot(files)


def _lock_of(place: RunPlace) -> threading.Lock:
    with _locks_lock:
        return _locks.setdefault(str(place.folder), threading.Lock())


__all__ = ["Author"]
