"""Retention: deletes old runs. Only finished runs are deleted, and none that a person kept or that
was saved as a script."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from workflows.models import AuditEntry, Firing, Run
from workflows.selectors.retention import Limits, old_runs

AT_A_TIME = 50
EVENTS_AT_A_TIME = 20_000
"""Runs, and their events, per transaction, so that other writers are not blocked."""
FIRINGS_KEPT = timedelta(days=30)
"""Seconds for which the key of a webhook delivery is kept."""
EFFECTS = ".effects"
"""Folder among the workspaces, with the records of effects that a crash may repeat."""


def keep(run_id: UUID, kept: bool) -> None:
    """Exempt a run from deletion, or end the exemption."""
    Run.objects.filter(pk=run_id).update(kept=Run.Kept.STAR if kept else Run.Kept.NO)


def keep_for_script(run_id: UUID) -> None:
    """Exempt a run that was saved as a script, since the script is compared with it."""
    Run.objects.filter(pk=run_id, kept=Run.Kept.NO).update(kept=Run.Kept.SCRIPT)


def prune(limits: Limits, *, now: datetime | None = None) -> Iterator[int]:
    """Delete old runs with their events, artifacts, approvals and workspaces, in small
    transactions, and the leftovers of deleted runs. Yields the number of runs deleted in each
    transaction."""
    now = now or timezone.now()
    while gone := _prune_some(limits, now):
        yield len(gone)
        for run_id in gone:
            _remove_folder(settings.DATA / "workspaces" / str(run_id))
    Firing.objects.filter(at__lt=now - FIRINGS_KEPT).delete()
    _sweep(settings.DATA / "workspaces")
    _sweep(settings.DATA / "workspaces" / EFFECTS)


def prune_audit_log(days: int, *, now: datetime | None = None) -> int:
    """Delete entries of the audit log that are older. Returns their number."""
    before = (now or timezone.now()) - timedelta(days=days)
    return AuditEntry.objects.filter(at__lt=before).delete()[0]


@transaction.atomic
def _prune_some(limits: Limits, now: datetime) -> Sequence[UUID]:
    """Delete some runs. Several workers may prune at once: each skips runs that another has
    locked."""
    rows = old_runs(limits, now).order_by("finished_at").select_for_update(skip_locked=True)
    chosen: list[UUID] = []
    events = 0
    for run_id, last in rows.values_list("pk", "last")[:AT_A_TIME]:
        if chosen and events + last > EVENTS_AT_A_TIME:
            break
        chosen.append(run_id)
        events += last
    old_runs(limits, now).filter(pk__in=chosen).delete()
    return chosen


def _sweep(folder: Path) -> None:
    """Delete workspaces of runs that no longer exist."""
    if not folder.is_dir():
        return
    named = {id: place for place in folder.iterdir() if (id := _id_of(place)) is not None}
    stored_ids = set(Run.objects.filter(pk__in=named).values_list("pk", flat=True))
    for run_id, place in named.items():
        if run_id not in stored_ids:
            _remove_folder(place)


def _id_of(place: Path) -> UUID | None:
    try:
        return UUID(place.name)
    except ValueError:
        return None


def _remove_folder(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
