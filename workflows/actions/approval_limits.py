"""Time limits of approvals: the outcome of a question that has no answer of a person."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from workflows.actions import runs
from workflows.actions.approval_answers import answer
from workflows.actions.approval_notices import AT_ONCE
from workflows.core.engine.signals import Control
from workflows.errors import CallerError
from workflows.models import Approval
from workflows.selectors.approval_deadlines import YES_OR_NO, limit_on, outcome_at_limit, time_limit

log = logging.getLogger(__name__)
LIMIT = "the time limit"
"""The name in `by` of such an answer."""


def apply_time_limit(now: datetime | None = None) -> int:
    """Apply the outcome to approvals that were open for too long. Returns their number."""
    now = now or timezone.now()
    done = 0
    for approval in _late(now):
        outcome, limit = outcome_at_limit(approval), limit_on(approval)
        if not outcome or limit is None:
            continue
        reason = f"No answer within {limit.hours} h."
        try:
            if outcome == "end":
                end = Control(at=now.timestamp(), what="cancel", reason=reason)
                runs.signal(approval.run_id, end, by=LIMIT)
            else:
                approves = outcome == "approve"
                answer(approval.pk, approve=approves, reason="" if approves else reason, by=LIMIT)
            done += 1
        except CallerError as refused:
            log.warning(
                "The time limit could not answer approval %s: %s", approval.pk, refused.message
            )
    return done


def _late(now: datetime) -> list[Approval]:
    late = Q(due_at__lte=now)
    limit = time_limit()
    if limit is not None:
        kinds = (Approval.Kind.APPROVE,) if limit.outcome == "approve" else YES_OR_NO
        late |= Q(limit__isnull=True, kind__in=kinds, asked_at__lte=now - limit.after)
    rows = Approval.objects.filter(late, status=Approval.Status.OPEN)
    return list(rows.order_by("asked_at")[:AT_ONCE])
