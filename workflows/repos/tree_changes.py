"""A pack's changes, applied to the tree of a commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workflows.actions.file_merge import Place, conflict
from workflows.core.merge.files import merged
from workflows.errors import RepositoryRefused
from workflows.repos.scratch import REGULAR, Entry, Scratch, Tree, stored_content


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file of a pack: its entry in the base commit and its blob now; None: no such file."""

    base: Entry | None
    mine: str | None

    @property
    def changes(self) -> bool:
        return (self.base.id if self.base else None) != self.mine


Changes = Mapping[str, FileChange]
Entries = dict[str, Entry | None]


def file_changes(
    tree: Tree, had: frozenset[str], blobs: Mapping[str, str]
) -> dict[str, FileChange]:
    """The changes of a pack since a commit. `had`: the files that the pack had there."""
    return {
        path: FileChange(base=tree.get(path) if path in had else None, mine=blobs.get(path))
        for path in sorted({*had, *blobs})
    }


def applied(area: Scratch, tree: Tree, changes: Changes) -> tuple[Entries, tuple[Place, ...]]:
    """The entries of `tree` that change, removals first, and the places where both sides changed
    the same."""
    entries: Entries = {}
    places: list[Place] = []
    for path, change in changes.items():
        theirs = tree.get(path)
        their_id = theirs.id if theirs else None
        if not change.changes or their_id == change.mine:
            continue
        if their_id == (change.base.id if change.base else None):
            entries[path] = _entry(path, change.mine, theirs or change.base, changes)
            continue
        old, mine, other = _contents(area, path, change, theirs)
        text = (
            None if old is None or mine is None or other is None else merged(path, old, mine, other)
        )
        if text is None or theirs is None:
            places.append(conflict(path, old, mine, other))
        else:
            entries[path] = Entry(mode=theirs.mode, id=area.blob(text))
    removed = {path: None for path, entry in entries.items() if entry is None}
    return {**removed, **entries}, tuple(places)


def check_places(tree: Tree, changes: Changes) -> None:
    """Raise RepositoryRefused for a path through a file, a link or a submodule of the tree."""
    wanted = {path for path, change in changes.items() if change.mine is not None}
    gone = {path for path, change in changes.items() if change.mine is None and change.base}
    folders = {above for path in wanted for above in _above(path)}
    for path, entry in tree.items():
        if path in wanted and not entry.is_file:
            raise _place_error(path, f"{path} is {_kind(entry)} there, not a file.")
        if path in folders and path not in gone:
            raise _place_error(path, f"{path} is {_kind(entry)} there, not a folder.")
        if path not in gone and not wanted.isdisjoint(_above(path)):
            inside = next(above for above in _above(path) if above in wanted)
            raise _place_error(inside, f"{inside} is a folder there, not a file.")
    clash = next((path for path in sorted(wanted) if path in folders), None)
    if clash is not None:
        raise RepositoryRefused(f"{clash} is both a file and a folder.", where=clash)


def _entry(path: str, mine: str | None, before: Entry | None, changes: Changes) -> Entry | None:
    if mine is None:
        return None
    if before is not None:
        return Entry(mode=before.mode, id=mine)
    return Entry(mode=_mode_of_renamed(path, mine, changes), id=mine)


def _mode_of_renamed(path: str, mine: str, changes: Changes) -> str:
    """The mode of the file that this new one was: it is gone, with the same bytes or name."""
    name = path.rpartition("/")[2]
    for old_path, old in changes.items():
        if old.base is None or old.mine is not None:
            continue
        if old.base.id == mine or old_path.rpartition("/")[2] == name:
            return old.base.mode
    return REGULAR


def _contents(
    area: Scratch, path: str, change: FileChange, theirs: Entry | None
) -> tuple[bytes | None, bytes | None, bytes | None]:
    return (
        stored_content(area, change.base, path) if change.base else None,
        area.content(change.mine) if change.mine else None,
        stored_content(area, theirs, path) if theirs else None,
    )


def _above(path: str) -> Sequence[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _kind(entry: Entry) -> str:
    return {"120000": "a link", "160000": "a submodule"}.get(entry.mode, "a file")


def _place_error(path: str, message: str) -> RepositoryRefused:
    hint = "Choose another folder."
    if "submodule" in message:
        hint = "Export to the submodule's own repository, or choose another folder."
    return RepositoryRefused(message, where=path, hint=hint)
