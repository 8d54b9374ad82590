"""Time limits of approvals: the server's own answer if a person gave none."""

from __future__ import annotations

import logging
from datetime import datetime

from django.utils import timezone

from workflows.actions.approval_answers import answer
from workflows.actions.approval_notices import AT_ONCE
from workflows.errors import CallerError
from workflows.models import Approval
from workflows.selectors.approval_deadlines import YES_OR_NO, outcome_at_limit, time_limit

log = logging.getLogger(__name__)
LIMIT = "the time limit"
"""The name in `by` of such an answer."""


def apply_time_limit(now: datetime | None = None) -> int:
    """Answer approvals that were open for too long, as `outcome_at_limit`. Returns their number."""
    limit = time_limit()
    if limit is None:
        return 0
    kinds = (Approval.Kind.APPROVE,) if limit.outcome == "approve" else YES_OR_NO
    late = Approval.objects.filter(
        status=Approval.Status.OPEN,
        kind__in=kinds,
        asked_at__lte=(now or timezone.now()) - limit.after,
    )
    done = 0
    for approval in list(late.order_by("asked_at")[:AT_ONCE]):
        outcome = outcome_at_limit(approval)
        if not outcome:
            continue
        approves = outcome == "approve"
        reason = "" if approves else f"No answer within {limit.hours} h."
        try:
            answer(approval.pk, approve=approves, reason=reason, by=LIMIT)
            done += 1
        except CallerError as refused:
            log.warning(
                "The time limit could not answer approval %s: %s", approval.pk, refused.message
            )
    return done
