"""The life of proposed changes: open, merged, closed."""

from __future__ import annotations

from workflows.actions import repositories as actions
from workflows.errors import RepositoryRefused
from workflows.models import Change
from workflows.models import Repository as Row
from workflows.repos.mirror import ORIGIN, open_mirror
from workflows.repos.repository import Repository
from workflows.repos.requests import request_status
from workflows.selectors.repositories import open_changes
from workflows.selectors.sync_points import paths_at


def look_at_changes(row: Row) -> None:
    """Close the open changes that were merged or closed elsewhere. A forge that does not answer
    leaves its reason at the change."""
    mirror = open_mirror(row.pk)
    for change in open_changes(row):
        status = None
        if change.number is not None:
            try:
                status = request_status(row, change.number)
            except RepositoryRefused as refused:
                actions.store_request(change, None, "", refused.sentence)
        if status in (None, "open") and mirror is not None and is_merged(mirror, change):
            status = "merged"
        if status in ("merged", "closed"):
            actions.close(change, Change.Status(status))


def is_merged(mirror: Repository, change: Change) -> bool:
    """True if the target has the change: its commit, or the same files, as a squash makes them."""
    tip = mirror.commit_named(f"refs/heads/{change.branch}")
    target = mirror.commit_named(ORIGIN + change.target)
    newest = {one.pack_id: one for one in change.commits.order_by("pk")}
    if tip is None or target is None or not newest:
        return False
    if mirror.contains(target, tip):
        return True
    for one in newest.values():
        paths = paths_at(one.pack_id, one.commit)
        if not paths:
            return False
        if not mirror.same_files(one.commit, target, paths):
            return False
    return True
