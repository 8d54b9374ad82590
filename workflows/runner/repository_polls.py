"""Fetches of repositories by the clock and after a webhook. Packs of repositories that win over
edits are pulled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from workflows.actions.repositories import claim_fetch, request_fetch
from workflows.models import Repository
from workflows.runner.repository_tasks import continue_left, fetch_soon

LONGEST_DELAY = 3_600
"""Most seconds between two fetches of a repository that cannot be fetched."""


def fetch_due() -> int:
    """Begin to fetch the repositories that are due, and continue the tasks whose process died. Of
    several workers one fetches each repository. Returns their number."""
    continue_left()
    fetched = 0
    for row in due_repositories(timezone.now()):
        if not claim_fetch(row):
            continue
        if fetch_soon(row):
            fetched += 1
        else:
            request_fetch(row.pk)  # Another task is running. The next round tries again.
    return fetched


def due_repositories(now: datetime) -> Sequence[Repository]:
    """Repositories that a webhook asked to fetch, or whose time has come. One that could not be
    fetched waits longer."""
    rows = Repository.objects.filter(Q(fetch_wanted=True) | Q(poll_seconds__gt=0)).order_by("pk")
    return [row for row in rows if row.fetch_wanted or _is_due(row, now)]


def _is_due(row: Repository, now: datetime) -> bool:
    if row.fetched_at is None:
        return True
    wait = row.poll_seconds if not row.problem else max(LONGEST_DELAY, row.poll_seconds)
    return row.fetched_at + timedelta(seconds=wait) <= now
