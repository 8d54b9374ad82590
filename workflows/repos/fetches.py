"""Fetches: bring the mirror up to date, and compare the packs that follow the repository."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from workflows.actions import repositories as actions
from workflows.actions.sync_points import Location
from workflows.core.pack.files import TooMuch
from workflows.errors import CallerError, Conflict, NotThere, RepositoryRefused
from workflows.models import Pack, TrackedPack
from workflows.models import Repository as Row
from workflows.repos.changes import look_at_changes
from workflows.repos.commit_packs import CommitPack, packs_at, renamed_paths
from workflows.repos.mirror import locked, open_mirror, update_mirror
from workflows.repos.network_git import Progress, ignore
from workflows.repos.remote import Listing
from workflows.repos.remotes import remote_of
from workflows.repos.repository import Repository
from workflows.selectors.repositories import base_files, repository_numbered, tracked_here
from workflows.selectors.sources import opened
from workflows.selectors.sync_points import was_exported


def fetch(id: int, progress: Progress = ignore) -> Row:
    """Fetch now. A failure is recorded in `problem`. Raises NotThere."""
    with suppress(CallerError, TooMuch):
        return update(id, progress)
    return repository_numbered(id)


def update(id: int, progress: Progress = ignore) -> Row:
    """Fetch now. A failure is recorded in `problem`, and raised: CallerError, TooMuch."""
    row = repository_numbered(id)
    try:
        with locked(id) as lock:
            listing = update_mirror(id, remote_of(row, progress), lock)
        row = stored(row, listing)
        look_at_changes(row)
        compare(row)
    except (CallerError, TooMuch) as refused:
        hint = getattr(refused, "hint", "")
        actions.store_problem(id, f"{refused.message} {hint}".strip())
        raise
    return repository_numbered(id)


def stored(row: Row, listing: Listing) -> Row:
    """Record a successful fetch. Where the default branch has another name, its packs follow."""
    before = row.default_branch
    actions.store_fetch(row.pk, listing.branches, listing.default)
    row = repository_numbered(row.pk)
    after, mirror = row.default_branch, open_mirror(row.pk)
    if before in ("", after) or before in row.branches or mirror is None:
        return row
    for one in TrackedPack.objects.filter(repository=row, branch=before).select_related("pack"):
        if _has(mirror, row.branches[after], one.upstream_commit):
            with suppress(Conflict):
                actions.follow_branch(one, after)
    actions.retarget(row, before, after)
    return row


def follow_branch(pack: Pack, branch: str) -> None:
    """Let a pack follow another branch, which has it too. Its id, history, places and runs stay.
    Raises NotThere, Conflict and RepositoryRefused."""
    row = tracked_here(pack)
    mirror = mirror_of(row.repository)
    tip = row.repository.branches.get(branch)
    if tip is None:
        raise NotThere(
            f"The repository has no branch {branch!r}.",
            hint="Fetch the repository, or choose another branch.",
            where="branch",
        )
    found = packs_at(mirror, tip, frozenset(base_files(row)))
    if place_now(row, mirror, tip, found) is None:
        raise NotThere(
            f"The branch {branch!r} does not have this pack.",
            hint="Propose it there, or choose another branch.",
            where="branch",
        )
    actions.follow_branch(row, branch)
    _compare(row, mirror, tip, found)


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
        gone = TrackedPack.Upstream.GONE
        if all(one.upstream_commit == tip and one.upstream != gone for one in here):
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


def _has(mirror: Repository, tip: str, commit: str) -> bool:
    return mirror.has_commit(commit) and mirror.contains(tip, commit)


def _compare(row: TrackedPack, mirror: Repository, tip: str, found: Sequence[CommitPack]) -> None:
    place = place_now(row, mirror, tip, found)
    if place is None:
        actions.store_upstream(row, tip, TrackedPack.Upstream.GONE)
        return
    is_base = place.files == base_files(row)
    if is_base and _has(mirror, tip, row.base_commit):
        actions.store_upstream(row, tip, TrackedPack.Upstream.SAME)
        return
    head = opened(row.pack).files
    if is_base or place.files == head or was_exported(row.pack_id, place.files):
        # Nothing to pull: the branch has what was proposed from here, or the same as before in
        # another history.
        at = Location(repository=str(mirror.common), folder="", commit=tip, branch=row.branch)
        edited = place.files != head
        actions.move_base(row, at, place.files, revision=row.pack.head, edited=edited)
    else:
        actions.store_upstream(row, tip, TrackedPack.Upstream.CHANGED)
