"""Runs that are old enough to be deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from workflows.core.engine.run import FINISHED
from workflows.models import Run

FAILED = ("failed", "budget_exhausted")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Days for which runs are kept after their end; None for ever. Failed runs may be kept
    longer."""

    days: int | None
    failed_days: int | None


@dataclass(frozen=True, kw_only=True)
class Old:
    """Runs and events that a prune would delete. `statuses`: final status → number of runs."""

    runs: int
    events: int
    statuses: Mapping[str, int]


def limits() -> Limits:
    """The limits of the server."""
    return Limits(
        days=settings.SIGNALBOX_KEEP_DAYS, failed_days=settings.SIGNALBOX_KEEP_FAILED_DAYS
    )


def in_words(old: Old) -> str:
    """ "3 runs (2 completed, 1 failed) with 1,204 events"."""
    if not old.runs:
        return "no run is old enough"
    each = ", ".join(f"{count:,} {status}" for status, count in sorted(old.statuses.items()))
    runs = "1 run" if old.runs == 1 else f"{old.runs:,} runs"
    return f"{runs} ({each}) with {old.events:,} events"


def old_runs(limits: Limits, now: datetime) -> QuerySet[Run]:
    """Finished runs past their time that are not exempt."""
    due = Q(pk__in=[])
    if limits.days is not None:
        due |= ~Q(status__in=FAILED) & Q(finished_at__lt=now - timedelta(days=limits.days))
    if limits.failed_days is not None:
        due |= Q(status__in=FAILED, finished_at__lt=now - timedelta(days=limits.failed_days))
    return Run.objects.filter(due, status__in=FINISHED, kept=Run.Kept.NO)


def old(limits: Limits, now: datetime | None = None) -> Old:
    """Runs and events that a prune with these limits would delete."""
    runs = old_runs(limits, now or timezone.now())
    counted = runs.order_by().values_list("status").annotate(Count("pk"), Sum("last"))
    rows = list(counted)
    return Old(
        runs=sum(count for _, count, _ in rows),
        events=sum(events for _, _, events in rows),
        statuses={status: count for status, count, _ in rows},
    )
