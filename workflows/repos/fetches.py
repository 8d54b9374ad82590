"""Fetches: bring the mirror up to date, and compare the packs that follow the repository."""

from __future__ import annotations

from collections.abc import Sequence

from workflows.actions import repositories as actions
from workflows.actions.sync_points import Location
from workflows.core.pack.files import TooMuch
from workflows.errors import CallerError, RepositoryRefused
from workflows.models import Repository as Row
from workflows.models import TrackedPack
from workflows.repos.changes import look_at_changes
from workflows.repos.commit_packs import CommitPack, packs_at, renamed_paths
from workflows.repos.mirror import locked, open_mirror, update_mirror
from workflows.repos.network_git import Progress, ignore
from workflows.repos.remotes import remote_of
from workflows.repos.repository import Repository
from workflows.selectors.repositories import base_files, repository_numbered
from workflows.selectors.sources import opened
from workflows.selectors.sync_points import was_exported


def fetch(id: int, progress: Progress = ignore) -> Row:
    """Fetch now. A failure is recorded in `problem`. Raises NotThere."""
    row = repository_numbered(id)
    try:
        with locked(id) as lock:
            listing = update_mirror(id, remote_of(row, progress), lock)
        actions.store_fetch(id, listing.branches, listing.default)
        row = repository_numbered(id)
        look_at_changes(row)
        compare(row)
    except (CallerError, TooMuch) as refused:
        hint = getattr(refused, "hint", "")
        actions.store_problem(id, f"{getattr(refused, 'message', refused)} {hint}".strip())
    return repository_numbered(id)


def mirror_of(row: Row) -> Repository:
    """The mirror. Raises RepositoryRefused if the repository was not fetched yet."""
    mirror = open_mirror(row.pk)
    if mirror is None:
        raise RepositoryRefused(
            row.problem or "The repository has not been fetched yet.",
            hint="" if row.problem else "Fetch it, then try again.",
            where="repository",
        )
    return mirror


def fetched_mirror(row: Row, progress: Progress) -> Repository:
    """The mirror; fetched first if there is none. Raises RepositoryRefused."""
    if open_mirror(row.pk) is None:
        fetch(row.pk, progress)
        row.refresh_from_db()
    return mirror_of(row)


def compare(row: Row) -> None:
    """Compare each pack's files on its branch with those of its base commit. Raises
    RepositoryRefused and TooMuch."""
    mirror = open_mirror(row.pk)
    followed = list(TrackedPack.objects.filter(repository=row).select_related("pack"))
    if mirror is None:
        return
    for branch in sorted({one.branch for one in followed}):
        tip = row.branches.get(branch)
        here = [one for one in followed if one.branch == branch]
        if tip is None:
            for one in here:
                actions.store_upstream(one, one.upstream_commit, TrackedPack.Upstream.GONE)
            continue
        if all(one.upstream_commit == tip for one in here):
            continue
        known = frozenset(path for one in here for path in base_files(one))
        found = packs_at(mirror, tip, known)
        for one in here:
            _compare(one, mirror, tip, found)


def place_now(
    row: TrackedPack, mirror: Repository, tip: str, found: Sequence[CommitPack]
) -> CommitPack | None:
    """The pack at a commit, also where its main file was renamed; None if it is gone."""
    mine = [one for one in found if one.dialect == row.pack.dialect]
    same = next((one for one in mine if one.main == row.main), None)
    if same is not None:
        return same
    renamed = renamed_paths(mirror, row.base_commit, tip).get(row.main)
    return next((one for one in mine if one.main == renamed), None)


def _compare(row: TrackedPack, mirror: Repository, tip: str, found: Sequence[CommitPack]) -> None:
    place = place_now(row, mirror, tip, found)
    if place is None or place.files == base_files(row):
        upstream = TrackedPack.Upstream.GONE if place is None else TrackedPack.Upstream.SAME
        actions.store_upstream(row, tip, upstream)
        return
    head = opened(row.pack).files
    if place.files == head or was_exported(row.pack_id, place.files):
        # The branch has what was proposed from here: nothing to pull.
        at = Location(repository=str(mirror.common), folder="", commit=tip, branch=row.branch)
        edited = place.files != head
        actions.move_base(row, at, place.files, revision=row.pack.head, edited=edited)
    else:
        actions.store_upstream(row, tip, TrackedPack.Upstream.CHANGED)
