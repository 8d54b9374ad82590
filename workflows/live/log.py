"""What live views read from the database: events after a number, and where a pack or run stands."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from workflows.live.send_queue import Batch, encode
from workflows.models import Pack, Revision, Run, RunEvent

PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The newest number of a run, and its status."""

    last: int
    status: str


def standing(run_id: UUID | str) -> Standing | None:
    """None where there is no such run."""
    found = Run.objects.filter(pk=run_id).values_list("last", "status").first()
    return Standing(last=found[0], status=found[1]) if found else None


def events_after(run_id: UUID | str, n: int, limit: int = PAGE) -> Batch | None:
    """The next events after `n`, each serialised once; None where there are none."""
    rows = list(
        RunEvent.objects.filter(run_id=run_id, n__gt=n)
        .order_by("n")
        .values_list("n", "at", "type", "fields")[:limit]
    )
    if not rows:
        return None
    events = [
        encode({"n": number, "at": at, "type": kind, **fields}) for number, at, kind, fields in rows
    ]
    return Batch(first=rows[0][0], events=events, short=len(rows) < limit)


def head_of(pack_id: int) -> int | None:
    """The newest revision's number; None where there is no such pack."""
    return Pack.objects.filter(pk=pack_id).values_list("head", flat=True).first()


def author_of(pack_id: int, number: int) -> str:
    """Who saved a revision, "" where nobody in particular."""
    found = Revision.objects.filter(pack_id=pack_id, number=number)
    return found.values_list("author__username", flat=True).first() or ""
