"""Approvals for the queue page and the API."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from workflows.db.integers import fits_integer
from workflows.db.search_text import check_search_text
from workflows.models import Approval


def approvals(*, status: str = "", pack: str = "", q: str = "") -> QuerySet[Approval]:
    """Open approvals oldest first, all others newest first. Raises BadRequest for a text that
    cannot be stored."""
    check_search_text(status=status, q=q)
    order = ("asked_at", "pk") if status == Approval.Status.OPEN else ("-asked_at", "pk")
    found = Approval.objects.select_related("run__pack").order_by(*order)
    if status:
        found = found.filter(status=status)
    if pack:
        found = found.filter(run__pack=int(pack)) if fits_integer(pack) else found.none()
    if q:
        words = Q(run__pack__name__icontains=q) | Q(question__icontains=q) | Q(state__icontains=q)
        found = found.filter(words)
    return found


def open_count() -> int:
    """Number of open approvals."""
    return Approval.objects.filter(status=Approval.Status.OPEN).count()


def approval_json(approval: Approval) -> dict[str, Any]:
    """One row. `asks` is the whole effect, as in `runs/{id}/pending/`."""
    answered = approval.answered_at
    return {
        "id": str(approval.pk),
        "run": str(approval.run_id),
        "pack": approval.run.pack_id,
        "pack_name": approval.run.pack.name,
        "key": approval.key,
        "kind": approval.kind,
        "state": approval.state,
        "question": approval.question,
        "asks": approval.asks,
        "status": approval.status,
        "asked_at": approval.asked_at.isoformat(),
        "answered_at": answered.isoformat() if answered else None,
        "answered_by": approval.answered_by,
        "answer": approval.answer,
        "reason": approval.reason,
    }
