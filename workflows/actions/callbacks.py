"""Results of runs that are sent to the callback of their webhook: claimed by one worker, sent
once."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from workflows.actions.approval_notices import AT_ONCE, FIRST_WAIT, LEASE
from workflows.db.text import to_storable
from workflows.models import Firing

MAX_TRIES = 10


def claim_callbacks(now: datetime | None = None) -> list[Firing]:
    """Firings whose run has ended and whose result no other worker sends now."""
    now = now or timezone.now()
    waiting = Firing.objects.filter(callback_due__lte=now, run__finished_at__isnull=False)
    with transaction.atomic():
        rows = list(
            waiting.select_for_update(skip_locked=True, of=("self",))
            .select_related("trigger", "run__pack")
            .order_by("callback_due")[:AT_ONCE]
        )
        for row in rows:
            row.callback_tries += 1
            row.callback_due = now + LEASE
            row.save(update_fields=["callback_tries", "callback_due"])
    return rows


def delivered(row: Firing) -> None:
    """The receiver accepted the result."""
    row.callback_due, row.callback_sent_at, row.callback_error = None, timezone.now(), ""
    _save(row)


def not_delivered(row: Firing, why: str) -> None:
    """The receiver did not accept the result: try again later, up to MAX_TRIES times."""
    row.callback_error = to_storable(why)[:300]
    wait = FIRST_WAIT * 2 ** (row.callback_tries - 1)
    row.callback_due = timezone.now() + wait if row.callback_tries < MAX_TRIES else None
    _save(row)


def _save(row: Firing) -> None:
    row.save(update_fields=["callback_due", "callback_sent_at", "callback_error"])
