"""Approvals for the queue page and the API."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from roles.core.columns import columns
from roles.rights import visible
from workflows.core.engine.effects import effect_from_json
from workflows.core.engine.people import Act, act_of
from workflows.db.integers import fits_integer
from workflows.db.search_text import check_search_text
from workflows.models import Approval
from workflows.selectors.approval_deadlines import deadline, outcome_at_limit


def approvals(
    person: User, *, status: str = "", pack: str = "", run: str = "", q: str = ""
) -> QuerySet[Approval]:
    """Approvals that a user may see: open ones oldest first, all others newest first. Raises
    BadRequest for a text that cannot be stored."""
    check_search_text(status=status, q=q)
    order = ("asked_at", "pk") if status == Approval.Status.OPEN else ("-asked_at", "pk")
    rows = Approval.objects.select_related("run__pack", "run__owner", "passed_to").order_by(*order)
    result = visible(rows, person)
    if status:
        result = result.filter(status=status)
    if pack:
        result = result.filter(run__pack=int(pack)) if fits_integer(pack) else result.none()
    if run:
        result = result.filter(run=UUID(run)) if _is_uuid(run) else result.none()
    if q:
        words = Q(run__pack__name__icontains=q) | Q(question__icontains=q) | Q(state__icontains=q)
        result = result.filter(words)
    return result


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def open_count(person: User) -> int:
    """Number of open approvals that a user may see."""
    return visible(Approval.objects.filter(status=Approval.Status.OPEN), person).count()


def act_on(approval: Approval) -> Act | None:
    """The act of the person who closed an approval; None if no person did."""
    if approval.answer is None:
        return None
    asked = effect_from_json(approval.asks)
    type = "effect.allowed" if "for" in approval.answer else asked.answer_event
    return act_of(type, {"by": approval.answered_by, **approval.answer})


def approval_json(approval: Approval) -> dict[str, Any]:
    """One row. `asks` is the whole effect, as in `runs/{id}/pending/`."""
    ends = deadline(approval)
    return {
        "id": str(approval.pk),
        "run": str(approval.run_id),
        "pack": approval.run.pack_id,
        "pack_name": approval.run.pack.name,
        **columns(approval, "key", "kind", "state", "question", "asks"),
        **columns(approval, "blocked_reason", "can_allow", "status"),
        "passed_to": approval.passed_to.get_username() if approval.passed_to else "",
        "deadline": ends.isoformat() if ends else None,
        "outcome": outcome_at_limit(approval) if ends else "",
        **columns(approval, "asked_at", "answered_at", "answered_by", "answer", "reason"),
    }
