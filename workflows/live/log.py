"""Database reads of live views: events after a number, and the head of a run or pack."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from workflows.live.send_queue import Batch
from workflows.models import Pack, Revision, Run
from workflows.selectors.event_texts import event_texts

PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentState:
    """The newest number of a run, and its status."""

    last: int
    status: str


def current_state(run_id: UUID | str) -> CurrentState | None:
    """Head of a run's log; None if the run does not exist."""
    row = Run.objects.filter(pk=run_id).values_list("last", "status").first()
    return CurrentState(last=row[0], status=row[1]) if row else None


def events_after(run_id: UUID | str, n: int, limit: int = PAGE) -> Batch | None:
    """The next events after `n`, each as text for all sockets; None if there are none."""
    rows = event_texts(run_id, n, limit)
    if not rows:
        return None
    events = [text for _, text in rows]
    return Batch(first=rows[0][0], events=events, short=len(rows) < limit)


def head_of(pack_id: int) -> int | None:
    """The newest revision's number; None if the pack does not exist."""
    return Pack.objects.filter(pk=pack_id).values_list("head", flat=True).first()


def author_of(pack_id: int, number: int) -> str:
    """User name of a revision's author, "" for none."""
    rows = Revision.objects.filter(pack_id=pack_id, number=number)
    return rows.values_list("author__username", flat=True).first() or ""
