"""The time limit of approvals, and the answer that a question gets when it ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from workflows.models import Approval

YES_OR_NO = (Approval.Kind.APPROVE, Approval.Kind.COMMAND, Approval.Kind.TOOL, Approval.Kind.MODEL)
"""Kinds of questions that can be denied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimit:
    """Time that an approval may stay open, and then its outcome: `deny` or `approve`."""

    after: timedelta
    outcome: str

    @property
    def hours(self) -> str:
        return f"{self.after.total_seconds() / 3600:g}"


def time_limit() -> TimeLimit | None:
    """The server's limit for approvals."""
    hours = settings.SIGNALBOX_APPROVAL_HOURS
    if not hours:
        return None
    return TimeLimit(after=timedelta(hours=hours), outcome=settings.SIGNALBOX_APPROVAL_OUTCOME)


def outcome_at_limit(approval: Approval) -> str:
    """The answer of the server when the time limit ends: `approve`, `deny`, or "" if the question
    stays open.

    Questions that need more than yes or no stay open. Only plain questions are approved: a command
    or call is never run because a person did not answer.
    """
    limit = time_limit()
    if limit is None or approval.kind not in YES_OR_NO:
        return ""
    if limit.outcome != "approve":
        return "deny"
    plain = approval.kind == Approval.Kind.APPROVE and approval.asks.get("call") is None
    return "approve" if plain else ""


def deadline(approval: Approval) -> datetime | None:
    """The time at which the server answers an open approval; None if it does not."""
    limit = time_limit()
    if limit is None or approval.status != Approval.Status.OPEN or not outcome_at_limit(approval):
        return None
    return approval.asked_at + limit.after
