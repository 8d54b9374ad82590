"""Runs with events that were not exported as a trace yet, and the progress of their export."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, Q, QuerySet

from workflows.core.engine.events import Event
from workflows.models import Run, RunEvent
from workflows.plugins.traces.spans import TYPES
from workflows.selectors.runs import event_of

FRESH = timedelta(days=1)
"""Runs that ended before a collector was configured are not exported."""


def unexported_runs(now: datetime) -> QuerySet[Run]:
    """Runs with events after the exported ones, oldest first."""
    fresh = Q(finished_at=None) | Q(finished_at__gte=now - FRESH)
    return Run.objects.filter(fresh, last__gt=F("traced")).select_related("pack").order_by("pk")


def traced_events(run: Run, after: int) -> Iterator[Event]:
    """Events after `after` that make a trace, up to the row's number."""
    rows = RunEvent.objects.filter(run=run, n__gt=after, n__lte=run.last, type__in=TYPES)
    return map(event_of, rows.order_by("n").iterator())


def mark_traced(run_id: UUID, n: int) -> None:
    """Record that the collector accepted all spans up to event `n`."""
    Run.objects.filter(pk=run_id, traced__lt=n).update(traced=n)
