"""Entries of the audit log. They are written and never deleted."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.db.text import to_storable
from workflows.models import AuditEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One request or command that changed something or was refused. Fields as in AuditEntry."""

    user: int | None
    user_name: str
    by: str
    operation: str
    method: str
    path: str
    kind: str
    object_id: str
    object_name: str
    refused: bool
    status: int
    address: str


def record(entry: Entry) -> None:
    """Write one entry."""
    outcome = AuditEntry.Outcome.REFUSED if entry.refused else AuditEntry.Outcome.DONE
    AuditEntry.objects.create(
        user_id=entry.user,
        user_name=entry.user_name[:150],
        by=to_storable(entry.by)[:100],
        operation=entry.operation[:80],
        method=entry.method[:10],
        path=to_storable(entry.path)[:400],
        kind=entry.kind,
        object_id=to_storable(entry.object_id)[:60],
        object_name=to_storable(entry.object_name)[:200],
        outcome=outcome,
        status=entry.status,
        address=entry.address[:60],
    )
