"""The target branch merged into the branch of a proposal, after a pull."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workflows.errors import Conflict
from workflows.repos.commits import Person, commit_tree
from workflows.repos.repository import Repository
from workflows.repos.scratch import Tree, scratch
from workflows.repos.tree_changes import FileChange, applied


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """The files of a pack, and its last commit on the branch of a proposal."""

    paths: Collection[str]
    exported: str | None


def merge_target(
    mirror: Repository, branch: str, target: str, packs: Sequence[Proposed], committer: Person
) -> None:
    """Let our branch contain a commit of its target, so that the forge can merge it.

    The pull of each pack has resolved the conflicts in its files, so they become the target's, and
    the proposal changes them. Changes by others since its last commit on the branch are kept.
    Raises Conflict if files cannot be merged."""
    ref = f"refs/heads/{branch}"
    tip = mirror.commit_named(ref)
    if tip is None or mirror.contains(tip, target):
        return
    found = mirror.git.attempt("merge-base", tip, target).stdout.decode().split()
    with scratch(mirror) as area:
        ours, theirs = area.tree(tip), area.tree(target)
        base = area.tree(found[0] if found else None)
        entries, places = applied(area, ours, _changes(base, theirs))
        for pack in packs:
            resolved = {place.path for place in places if place.path in pack.paths}
            if resolved and pack.exported is not None:
                again = _changes(area.tree(pack.exported), theirs, resolved)
                more, later = applied(area, ours, again)
                entries = {**entries, **more}
                places = (*(one for one in places if one.path not in resolved), *later)
        if places:
            raise Conflict(
                f"Your branch {branch!r} and its target changed the same place: {places[0].path}.",
                hint="Choose another branch, or merge the target into the branch with git.",
                where="branch",
            )
        area.read_index(tip)
        tree = area.written(entries)
        made = commit_tree(area, tree, [tip, target], f"Merge the target into {branch}", committer)
        area.keep()
    mirror.git.run("update-ref", "--no-deref", ref, made, tip)


def _changes(old: Tree, new: Tree, paths: Collection[str] | None = None) -> dict[str, FileChange]:
    """The change of each file, or of these files, from one tree to another."""
    return {
        path: FileChange(base=old.get(path), mine=new[path].id if path in new else None)
        for path in sorted({*old, *new} if paths is None else paths)
    }
