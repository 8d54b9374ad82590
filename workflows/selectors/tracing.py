"""Which runs have something to tell a collector of traces."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from workflows.core.engine.events import Event
from workflows.core.engine.trace_spans import TYPES
from workflows.models import Run, RunEvent
from workflows.selectors.runs import event_of

FRESH = timedelta(days=1)
"""Runs that ended before a collector was named are no news."""


def untold(now: datetime) -> QuerySet[Run]:
    """Runs with events after those that were told, the oldest first."""
    fresh = Q(finished_at=None) | Q(finished_at__gte=now - FRESH)
    return Run.objects.filter(fresh, last__gt=F("traced")).select_related("pack").order_by("pk")


def telling_events(run: Run, after: int) -> Iterator[Event]:
    """Those after `after` that a trace is made of, up to where the row stands."""
    rows = RunEvent.objects.filter(run=run, n__gt=after, n__lte=run.last, type__in=TYPES)
    return map(event_of, rows.order_by("n").iterator())
