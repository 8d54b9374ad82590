"""The commit that an export would make: its parents, its tree and the conflicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from workflows.actions.file_merge import Place
from workflows.core.pack.files import Files
from workflows.errors import RepositoryRefused
from workflows.repos.base_commit import BaseCommit, found_base, given_base, joint_base
from workflows.repos.branches import Branch
from workflows.repos.pack_blobs import blobs_of
from workflows.repos.repository import Repository
from workflows.repos.scratch import Scratch, Tree
from workflows.repos.tree_changes import (
    Changes,
    Entries,
    FileChange,
    applied,
    check_places,
    file_changes,
)
from workflows.selectors.sync_points import KnownCommit

Check = Callable[[Files], tuple[Sequence[Place], Sequence[dict[str, Any]]]]
"""Conflicts and new errors of a pack's files after a merge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackSide:
    """The files to export, the commits recorded for the pack, and its files at the import. `parts`:
    the packs that are exported together; none: one pack."""

    files: Files
    known: Sequence[KnownCommit] = ()
    first: Files = field(default_factory=lambda: Files({}))
    check: Check = lambda files: ((), ())
    parts: Sequence[PackSide] = ()

    def earlier_paths(self, folder: str) -> set[str]:
        """Every file that the pack had at the import or a recorded commit."""
        if self.parts:
            return set().union(*(part.earlier_paths(folder) for part in self.parts))
        recorded = (one.paths for one in self.known if one.folder == folder)
        return set(self.first).union(*recorded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The result of an export. `onto`: the commit that it changes, the branch's newest or the base.

    `own_tree`: the base's tree with the pack's changes alone; `tree`: the result. `unchanged`: the
    commit that has these changes already. `rewritten`: the branch lacks the base, because others
    replaced its commits; then `own_tree` is the tree of `onto` with the pack's files.
    """

    branch: Branch
    base: BaseCommit
    onto: str | None
    own_tree: str
    tree: str
    before: Tree
    entries: Entries
    unchanged: str | None = None
    conflicts: Sequence[Place] = ()
    findings: Sequence[dict[str, Any]] = ()
    rewritten: bool = False

    @property
    def merges(self) -> bool:
        """True if the branch has commits since the base."""
        if self.rewritten:
            return self.tree != self.own_tree
        return self.base.commit is not None and self.onto != self.base.commit


def plan_export(
    repository: Repository, area: Scratch, side: PackSide, *, target: Branch, folder: str,
    base: str, rewritten: bool = False,
) -> Plan:  # fmt: skip
    """Compare base, pack and branch. Raises RepositoryRefused."""
    prefix = f"{folder}/" if folder else ""
    placed = Files({prefix + path: data for path, data in side.files.items()})
    known = (
        given_base(repository, base)
        if rewritten
        else _base(repository, area, side, target, folder=folder, base=base)
    )
    onto = known.commit or target.tip or repository.commit_named("HEAD")
    tree = area.tree(onto)
    area.read_index(onto)
    had = _had(known, {prefix + path for path in side.earlier_paths(folder)}, placed)
    _check_links(tree, had, placed)
    changes = file_changes(tree, had, blobs_of(area, tree, placed, known.committed))
    check_places(tree, changes)
    entries, conflicts = applied(area, tree, changes)
    if known.commit is None:
        conflicts = (*conflicts, *_unknown_deletions(tree, side, prefix, placed))
    area.read_index(onto)
    own_tree = area.written(entries)
    plan = Plan(
        branch=target,
        base=known,
        onto=onto,
        own_tree=own_tree,
        tree=own_tree,
        before=tree,
        entries=entries,
        conflicts=conflicts,
        rewritten=rewritten,
    )
    if rewritten:
        return _merged(repository, area, side, plan, changes, prefix)
    if conflicts:
        return plan
    if onto is not None and own_tree == repository.tree_of(onto):
        return _unchanged(plan, onto)
    if known.commit is None or target.tip is None or target.tip == known.commit:
        return plan
    return _merged(repository, area, side, plan, changes, prefix)


def _base(
    repository: Repository, area: Scratch, side: PackSide, target: Branch, *, folder: str, base: str
) -> BaseCommit:
    if base:
        given = given_base(repository, base)
        if target.tip and given.commit and not repository.contains(target.tip, given.commit):
            raise RepositoryRefused(
                f"The branch {target.name!r} does not contain the base {base!r}.",
                hint="Name a commit of that branch, or export to a new branch.",
                where="base",
            )
        return given
    known = [part.known for part in side.parts or (side,)]
    recorded = joint_base(repository, known, folder, target.tip)
    if recorded is not None:
        return recorded
    start = target.tip or repository.commit_named("HEAD")
    prefix = f"{folder}/" if folder else ""
    first = Files({prefix + path: data for path, data in side.first.items()})
    cleaned = _cleaned(area, start, first)
    found = found_base(repository, area, start, first, cleaned)
    return found or BaseCommit(commit=None, source="none")


def _cleaned(area: Scratch, start: str | None, files: Files) -> dict[str, str]:
    """The blobs that files become under the attributes of a commit; no blob for one that cannot."""
    if start is None or not files:
        return {}
    area.read_index(start)
    tree = area.tree(start)
    try:
        _check_links(tree, frozenset(files), files)
        return blobs_of(area, tree, files, {})
    except RepositoryRefused:
        return {}


def _had(known: BaseCommit, earlier: set[str], placed: Files) -> frozenset[str]:
    """The files that belonged to the pack at the base commit."""
    if known.commit is None:
        return frozenset()
    return known.paths if known.paths is not None else frozenset({*earlier, *placed})


def _check_links(tree: Tree, had: frozenset[str], placed: Files) -> None:
    """Check the places before git turns files into blobs there."""
    check_places(tree, file_changes(tree, had, dict.fromkeys(placed, "")))


def _unknown_deletions(tree: Tree, side: PackSide, prefix: str, placed: Files) -> Sequence[Place]:
    """Files that the pack deleted; without a base, changes of them here are unknown."""
    gone = [prefix + path for path in side.first if prefix + path not in placed]
    reason = "You deleted the file, and no common version with the repository is known."
    return [Place(path=path, reason=reason) for path in gone if path in tree]


def _unchanged(plan: Plan, commit: str) -> Plan:
    return Plan(
        branch=plan.branch,
        base=plan.base,
        onto=plan.onto,
        own_tree=plan.own_tree,
        tree=plan.tree,
        before=plan.before,
        entries={},
        unchanged=commit,
    )


def _merged(
    repository: Repository,
    area: Scratch,
    side: PackSide,
    plan: Plan,
    changes: Changes,
    prefix: str,
) -> Plan:
    """The plan on top of a branch that has moved since the base."""
    tip = plan.branch.tip
    assert tip is not None
    theirs = area.tree(tip)
    check_places(theirs, {path: one for path, one in changes.items() if one.changes})
    entries, conflicts = applied(area, theirs, changes)
    area.read_index(tip)
    tree = area.written(entries) if not conflicts else plan.own_tree
    own_tree = _with_files(area, tip, theirs, changes) if plan.rewritten else plan.own_tree
    findings: Sequence[dict[str, Any]] = ()
    if not conflicts and entries:
        conflicts, findings = _check_result(area, side, {**theirs, **entries}, changes, prefix)
    merged = Plan(
        branch=plan.branch,
        base=plan.base,
        onto=tip,
        own_tree=own_tree,
        tree=tree,
        before=theirs,
        entries=entries,
        conflicts=conflicts,
        findings=findings,
        rewritten=plan.rewritten,
    )
    if not conflicts and tree == repository.tree_of(tip):
        return _unchanged(merged, tip)
    return merged


def _with_files(area: Scratch, tip: str, tree: Tree, changes: Changes) -> str:
    """The tree of a commit with the pack's files as they are here."""
    exact = {path: FileChange(base=tree.get(path), mine=one.mine) for path, one in changes.items()}
    entries, _ = applied(area, tree, exact)
    area.read_index(tip)
    return area.written(entries)


def _check_result(
    area: Scratch,
    side: PackSide,
    tree: dict[str, Any],
    changes: Changes,
    prefix: str,
) -> tuple[tuple[Place, ...], Sequence[dict[str, Any]]]:
    """Read the merged pack. Two changes that fit as text can still contradict each other."""
    files: dict[str, bytes] = {}
    for path, change in changes.items():
        entry = tree.get(path)
        plain = path.removeprefix(prefix)
        if entry is None or not entry.is_file:
            continue
        known = side.files.get(plain)
        if known is not None and entry.id == change.mine:
            files[plain] = known
        else:
            files[plain] = area.content(entry.id)
    places, findings = side.check(Files(files))
    return tuple(places), findings
