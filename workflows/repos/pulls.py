"""Pulls: newer commits of a branch merged into the pack that follows it, as one revision."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from roles.rights import Level, visible
from workflows.actions import repositories as actions
from workflows.actions import save_revision
from workflows.actions.save_revision import Step
from workflows.actions.sync_points import Location
from workflows.consequences.changes import files_change, findings_change
from workflows.core.merge.decisions import Choice
from workflows.core.merge.files import FileMerge
from workflows.core.pack.files import Files
from workflows.errors import CallerError, Conflict, NotThere
from workflows.models import Pack, Revision, TrackedPack
from workflows.models import Repository as Row
from workflows.opened_packs.view import Opened
from workflows.repos.commit_packs import commits_between, packs_at, renamed_paths
from workflows.repos.conflicts import (
    FileConflict,
    Part,
    Parts,
    conflict_count,
    conflicts_json,
    decided,
    read_decided,
)
from workflows.repos.fetches import mirror_of, place_now
from workflows.repos.repository import Repository
from workflows.selectors.repositories import base_files, status_of, tracked_here
from workflows.selectors.sources import opened, read

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Base, pack and branch of a pull, and the merged files in parts."""

    row: TrackedPack
    mirror: Repository
    tip: str
    main: str
    head: Opened
    before: Files
    theirs: Files
    renames: Mapping[str, str]
    parts: Parts = field(default_factory=dict)

    @property
    def conflicts(self) -> int:
        """The number of places that need a decision."""
        return sum(map(conflict_count, self.parts.values()))


def pull_plan(pack: Pack) -> dict[str, Any]:
    """Preview of a pull: commits, differences of files, conflicts by element, findings.
    Raises NotThere and RepositoryRefused."""
    merge = _merge(pack)
    view = merge.head.under(pack.profile)
    back = {new: old for old, new in merge.renames.items()}
    conflicts = conflicts_json(merge.parts, view, merge.main, back)
    body: dict[str, Any] = {
        "revision": pack.head,
        "status": status_of(merge.row),
        "base": merge.row.base_commit,
        "tip": merge.tip,
        "commits": list(
            commits_between(
                merge.mirror, merge.row.base_commit, merge.tip, [*merge.before, *merge.theirs]
            )
        ),
        "conflicts": conflicts,
        "files": [],
        "findings_new": [],
        "findings_fixed": [],
    }
    if not conflicts:
        after = decided(merge.parts, {})
        body["files"] = files_change(merge.head.files, after)
        body.update(_findings_change(pack, merge.head, read(pack.pk, merge.head.dialect, after)))
    return body


def pull(
    pack: Pack,
    author: User | None,
    *,
    expected_commit: str = "",
    expected_revision: int | None = None,
    choices: Mapping[str, Choice] | None = None,
) -> dict[str, Any]:
    """Merge the branch into the pack. Every conflict needs a choice, and the result has to be
    readable. Raises Conflict, BadRequest, NotThere and RepositoryRefused."""
    return save_revision.retried(
        pack.pk,
        lambda current: _pull(current, author, expected_commit, expected_revision, choices or {}),
    )


def follow(row: Row) -> None:
    """Pull the packs that are changed in a repository that wins over edits."""
    if not row.git_wins:
        return
    rows = TrackedPack.objects.filter(repository=row, upstream=TrackedPack.Upstream.CHANGED)
    for one in rows.select_related("pack"):
        try:
            pull(one.pack, None)
        except CallerError as refused:
            log.warning("The pack %s could not be pulled: %s", one.pack_id, refused.message)


def pull_clean(row: Row, person: User) -> dict[str, list[dict[str, Any]]]:
    """Pull the packs of a repository that the user may edit and that merge without a decision:
    `{"pulled", "left"}`, each with `{"pack", "name", "problem"}`."""
    packs = visible(Pack.objects.all(), person, Level.EDIT)
    rows = TrackedPack.objects.filter(
        repository=row, upstream=TrackedPack.Upstream.CHANGED, pack__in=packs
    ).select_related("pack")
    done: dict[str, list[dict[str, Any]]] = {"pulled": [], "left": []}
    for one in rows.order_by("branch", "main"):
        problem = ""
        try:
            pull(one.pack, person)
        except CallerError as refused:
            problem = refused.message
        named = {"pack": one.pack_id, "name": one.pack.name, "problem": problem}
        done["left" if problem else "pulled"].append(named)
    return done


def _findings_change(pack: Pack, before: Opened, after: Opened) -> dict[str, Any]:
    old, new = (version.under(pack.profile).findings for version in (before, after))
    added, removed = findings_change(old, new)
    return {
        "findings_new": [one.to_json() for one in added],
        "findings_fixed": [one.to_json() for one in removed],
    }


def _merge(pack: Pack) -> Merge:
    row = tracked_here(pack)
    mirror = mirror_of(row.repository)
    tip = row.repository.branches.get(row.branch)
    if tip is None or mirror.commit_named(tip) is None:
        raise NotThere(
            f"The branch {row.branch!r} is not in the repository.",
            hint="Fetch the repository, or choose Follow another branch.",
            where="branch",
        )
    before = base_files(row)
    place = place_now(row, mirror, tip, packs_at(mirror, tip, frozenset(before)))
    if place is None:
        raise NotThere(
            f"The branch {row.branch!r} no longer has this pack.",
            hint="Propose it again on a branch of your own, or delete it here.",
            where="branch",
        )
    head = opened(row.pack)
    renames = renamed_paths(mirror, row.base_commit, tip) if place.main != row.main else {}
    merge = Merge(
        row=row, mirror=mirror, tip=tip, main=place.main, head=head, before=before,
        theirs=place.files, renames=renames,
    )  # fmt: skip
    return Merge(
        row=row, mirror=mirror, tip=tip, main=place.main, head=head, before=before,
        theirs=place.files, renames=renames, parts=_parts(merge),
    )  # fmt: skip


def _parts(merge: Merge) -> Parts:
    old, mine = _moved(merge.before, merge), _moved(merge.head.files, merge)
    theirs = merge.theirs
    parts: dict[str, Part] = {}
    for path in dict.fromkeys([*mine, *theirs]):
        base, ours, other = old.get(path), mine.get(path), theirs.get(path)
        if merge.row.repository.git_wins or ours in (other, base):
            parts[path] = other
        elif other == base:
            parts[path] = ours
        elif base is None or ours is None or other is None:
            parts[path] = FileConflict(base=base, mine=ours, theirs=other)
        else:
            parts[path] = FileMerge(path=path, base=base, mine=ours, theirs=other)
    return parts


def _moved(files: Mapping[str, bytes], merge: Merge) -> dict[str, bytes]:
    return {merge.renames.get(path, path): data for path, data in files.items()}


def _pull(
    pack: Pack,
    author: User | None,
    expected_commit: str,
    expected_revision: int | None,
    choices: Mapping[str, Choice],
) -> dict[str, Any]:
    merge = _merge(pack)
    stale = (expected_commit and expected_commit != merge.tip) or (
        expected_revision is not None and expected_revision != pack.head
    )
    if stale:
        raise Conflict(
            "The pack or the branch has changed since you looked.",
            hint="Look at the changes again, then pull.",
            where="expected_commit",
        )
    files = decided(merge.parts, choices)
    after = read_decided(pack, merge.head, files)
    commits = commits_between(
        merge.mirror, merge.row.base_commit, merge.tip, [*merge.before, *merge.theirs], most=1
    )
    newest = commits[0] if commits else {"commit": merge.tip, "author": "", "subject": ""}
    at = Location(
        repository=str(merge.mirror.common), folder="", commit=merge.tip, branch=merge.row.branch
    )
    with transaction.atomic():
        if files != merge.head.files:
            step = Step(
                kind=Revision.Kind.PULL,
                author=author,
                summary=f"Pull {newest['commit'][:12]} {newest['subject']}".strip()[:300],
                head=merge.head,
                after=after,
            )
            revision = save_revision.save(pack, step)
            actions.sign_pull(revision, newest["commit"], newest["author"])
        actions.move_base(
            merge.row, at, merge.theirs, revision=pack.head, edited=files != merge.theirs,
            main=merge.main,
        )  # fmt: skip
    return {
        "revision": pack.head,
        "commit": merge.tip,
        "status": status_of(tracked_here(pack)),
        **_findings_change(pack, merge.head, after),
    }
