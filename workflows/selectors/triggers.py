"""Triggers and their firings, for pages, the API and workers."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from roles.core.columns import columns
from roles.rights import visible
from roles.rows import found
from workflows.core.triggers.schedule import due_after
from workflows.db.text import to_storable
from workflows.errors import NotThere
from workflows.models import Firing, Pack, Revision, Trigger

SHOWN = 10
"""Number of newest firings returned with a trigger."""
NEXT = 3
"""Number of next due times returned with a schedule."""


def triggers(pack: Pack, person: User) -> QuerySet[Trigger]:
    """The triggers of a pack that a user may see."""
    rows = Trigger.objects.select_related("owner", "pack").filter(pack=pack)
    return visible(rows, person)


def trigger_numbered(trigger: int, *, lock: bool = False) -> Trigger:
    """A trigger by id. Raises NotThere. `lock` locks the row until the transaction ends."""
    rows = Trigger.objects.select_related("owner", "pack")
    if lock:
        rows = rows.select_for_update(of=("self",))
    return found(
        rows.filter(pk=trigger),
        NotThere(f"There is no trigger {trigger}.", hint="Its pack may have been deleted."),
    )


def trigger_at(address: str) -> Trigger | None:
    """The webhook with this address."""
    return (
        Trigger.objects.select_related("owner", "pack")
        .filter(address=to_storable(address), kind="webhook")
        .first()
    )


def revision_of(row: Trigger) -> int:
    """The revision that the trigger runs now. Raises NotThere if it follows named revisions and
    none has a name."""
    match row.follows:
        case "pinned":
            return row.revision or 0
        case "newest":
            return row.pack.head
        case _:
            named = Revision.objects.filter(pack=row.pack).exclude(name="").order_by("-number")
            number = named.values_list("number", flat=True).first()
            if number is None:
                raise NotThere(
                    "This trigger follows named revisions, and its pack has none.",
                    hint="Name one in the pack's history.",
                )
            return number


def due(now: datetime) -> list[int]:
    """Due schedules, the longest overdue first."""
    rows = Trigger.objects.filter(next_at__lte=now, enabled=True).order_by("next_at")
    return list(rows.values_list("pk", flat=True))


def next_times(row: Trigger) -> list[str]:
    """Next times of a schedule that is switched on."""
    if row.kind != "schedule" or not row.enabled:
        return []
    return preview(row.cron, row.timezone)


def preview(cron: str, zone: str, count: int = NEXT) -> list[str]:
    """Next times of a validated schedule."""
    return [one.isoformat() for one in islice(due_after(cron, zone, timezone.now()), count)]


def trigger_json(row: Trigger) -> dict[str, Any]:
    """One trigger without its secret."""
    return {
        "id": row.pk,
        "pack": row.pack_id,
        **columns(row, "name", "kind", "enabled"),
        "owner": row.owner.get_username() if row.owner else "",
        **columns(row, "follows", "revision", "driver", "options", "takes"),
        "path": f"{settings.ROOT_PATH}api/v1/hooks/{row.address}/" if row.kind == "webhook" else "",
        **columns(row, "callback", "cron", "timezone", "missed", "overlap"),
        "next": next_times(row),
        "firings": firings(row),
        **columns(row, "created_at"),
    }


def firings(row: Trigger) -> list[dict[str, Any]]:
    """Firings, newest first."""
    rows = Firing.objects.filter(trigger=row).select_related("run").order_by("-at", "-pk")
    return [
        {
            **columns(one, "at", "due_at", "outcome", "reason", "tried"),
            "run": str(one.run_id) if one.run_id else None,
            "run_status": one.run.status if one.run else "",
            "callback": _callback_state(one),
            "callback_error": one.callback_error,
        }
        for one in rows[:SHOWN]
    ]


def _callback_state(firing: Firing) -> str:
    if firing.callback_sent_at is not None:
        return "sent"
    if firing.callback_due is not None:
        return "waiting"
    return "failed" if firing.callback_error else ""
