"""Runs as lists, pages and logs read them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from workflows.core.engine.events import Event
from workflows.errors import NotThere
from workflows.models import Artifact, Run, RunEvent
from workflows.numbers import fits

PATH = 24
"""So many of the newest states stand in a run's row."""


def run_named(run_id: str | uuid.UUID) -> Run:
    """Raises NotThere."""
    try:
        key = run_id if isinstance(run_id, uuid.UUID) else uuid.UUID(str(run_id))
    except ValueError:
        key = None
    run = Run.objects.select_related("pack", "owner").filter(pk=key).first() if key else None
    if run is None:
        raise NotThere(f"There is no run {run_id}.", hint="Its pack may have been deleted.")
    return run


def runs(*, pack: str = "", status: str = "", driver: str = "", q: str = "") -> QuerySet[Run]:
    """Newest first."""
    found = Run.objects.select_related("pack", "owner").order_by("-created_at", "pk")
    if pack:
        found = found.filter(pack=int(pack)) if fits(pack) else found.none()
    if status:
        found = found.filter(status=status)
    if driver:
        found = found.filter(driver=driver)
    if q:
        found = found.filter(
            Q(pack__name__icontains=q) | Q(reason__icontains=q) | Q(owner__username__icontains=q)
        )
    return found


def run_json(run: Run) -> dict[str, Any]:
    """One run's row."""
    return {
        "id": str(run.pk),
        "pack": run.pack_id,
        "pack_name": run.pack.name,
        "revision": run.revision,
        "profile": run.profile,
        "driver": run.driver,
        "status": run.status,
        "reason": run.reason,
        "last": run.last,
        "owner": run.owner.get_username() if run.owner else "",
        "created_at": run.created_at.isoformat(),
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
        "path": _path(run),
        "forked_from": run.options.get("forked_from"),
    }


def events(run: Run, after: int = 0, limit: int = 1000) -> list[dict[str, Any]]:
    """The log after event `after`."""
    rows = RunEvent.objects.filter(run=run, n__gt=after).order_by("n")[:limit]
    return [event_of(row).to_json() for row in rows]


def log(run: Run) -> list[Event]:
    """The whole log."""
    return [event_of(row) for row in RunEvent.objects.filter(run=run).order_by("n")]


def event_of(row: RunEvent) -> Event:
    """A row as the engine's value."""
    return Event(n=row.n, at=row.at, type=row.type, fields=row.fields)


def artifacts(run: Run) -> list[dict[str, Any]]:
    """The newest value of each name."""
    rows: Iterable[Artifact] = Artifact.objects.filter(run=run).order_by("name")
    return [{"name": row.name, "type": row.type, "value": row.value, "n": row.n} for row in rows]


def _path(run: Run) -> list[str]:
    entered = (
        RunEvent.objects.filter(run=run, type="state.entered")
        .order_by("-n")
        .values_list("fields", flat=True)[:PATH]
    )
    return [str(fields.get("state", "")) for fields in reversed(list(entered))]


def drivers() -> list[str]:
    """Drivers that some run has used."""
    return sorted(Run.objects.order_by().values_list("driver", flat=True).distinct())
