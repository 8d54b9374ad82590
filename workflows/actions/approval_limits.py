"""Time limits of approvals: the server's own answer if a person gave none."""

from __future__ import annotations

import logging
from datetime import datetime

from django.utils import timezone

from workflows.actions.approval_answers import YES_OR_NO, answer
from workflows.actions.approval_notices import AT_ONCE, time_limit
from workflows.errors import CallerError
from workflows.models import Approval

log = logging.getLogger(__name__)
LIMIT = "the time limit"
"""The name in `by` of such an answer."""


def apply_time_limit(now: datetime | None = None) -> int:
    """Answer approvals that were open for too long. Returns their number.

    Questions that need more than yes or no stay open. Only plain questions are approved: a command
    or call is never run because a person did not answer.
    """
    limit = time_limit()
    if limit is None:
        return 0
    approves = limit.outcome == "approve"
    kinds = (Approval.Kind.APPROVE,) if approves else YES_OR_NO
    late = Approval.objects.filter(
        status=Approval.Status.OPEN,
        kind__in=kinds,
        asked_at__lte=(now or timezone.now()) - limit.after,
    )
    done = 0
    for approval in list(late.order_by("asked_at")[:AT_ONCE]):
        if approves and approval.asks.get("call") is not None:
            continue
        reason = "" if approves else f"No answer within {limit.hours} h."
        try:
            answer(approval.pk, approve=approves, reason=reason, by=LIMIT)
            done += 1
        except CallerError as refused:
            log.warning(
                "The time limit could not answer approval %s: %s", approval.pk, refused.message
            )
    return done
