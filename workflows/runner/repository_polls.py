"""Fetches of repositories by the clock and after a webhook. Packs of repositories that win over
edits are pulled."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from workflows.actions.repositories import claim_fetch
from workflows.errors import CallerError
from workflows.models import Repository, TrackedPack
from workflows.repos.fetches import fetch
from workflows.repos.pulls import pull

log = logging.getLogger(__name__)
LONGEST_DELAY = 3_600
"""Most seconds between two fetches of a repository that cannot be fetched."""


def fetch_due() -> int:
    """Fetch the repositories that are due. Of several workers one fetches each. Returns their
    number."""
    fetched = 0
    for row in due_repositories(timezone.now()):
        if not claim_fetch(row):
            continue
        fetched += 1
        try:
            follow(fetch(row.pk))
        except Exception:
            log.exception("The repository %s could not be followed", row.pk)
    return fetched


def due_repositories(now: datetime) -> Sequence[Repository]:
    """Repositories that a webhook asked to fetch, or whose time has come. One that could not be
    fetched waits longer."""
    rows = Repository.objects.filter(Q(fetch_wanted=True) | Q(poll_seconds__gt=0)).order_by("pk")
    return [row for row in rows if row.fetch_wanted or _is_due(row, now)]


def follow(row: Repository) -> None:
    """Pull the packs that are changed in a repository that wins over edits."""
    if not row.git_wins:
        return
    rows = TrackedPack.objects.filter(repository=row, upstream=TrackedPack.Upstream.CHANGED)
    for one in rows.select_related("pack"):
        try:
            pull(one.pack, None)
        except CallerError as refused:
            log.warning("The pack %s could not be pulled: %s", one.pack_id, refused.message)


def _is_due(row: Repository, now: datetime) -> bool:
    if row.fetched_at is None:
        return True
    wait = row.poll_seconds if not row.problem else max(LONGEST_DELAY, row.poll_seconds)
    return row.fetched_at + timedelta(seconds=wait) <= now
