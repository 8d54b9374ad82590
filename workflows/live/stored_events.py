"""Database reads of live views: events after a number, and the head of a run or pack."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from workflows.live.send_queue import Batch
from workflows.models import Pack, Revision, Run
from workflows.notifications.bus import PackWritten
from workflows.selectors.event_texts import event_texts
from workflows.selectors.opened_folder import checkout_of, opened_folder

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


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestRevision:
    """The newest revision of a pack, the number of changes of its proposals, and what an opened
    folder has of it; `written` is None for a pack without a folder."""

    number: int
    author: str
    written: PackWritten | None = None
    proposed: int = 0


def newest_revision(pack_id: int) -> NewestRevision | None:
    """None if the pack does not exist."""
    pack = Pack.objects.filter(pk=pack_id).only("head", "proposed", "written", "unwritten").first()
    if pack is None:
        return None
    rows = Revision.objects.filter(pack_id=pack_id, number=pack.head)
    author = rows.values_list("author__username", flat=True).first() or ""
    written = None
    if pack.written is not None:
        folder = opened_folder()
        written = PackWritten(
            pack=pack_id,
            number=pack.written,
            problem=pack.unwritten,
            checkout=checkout_of(folder) if folder else "",
        )
    return NewestRevision(number=pack.head, author=author, written=written, proposed=pack.proposed)
