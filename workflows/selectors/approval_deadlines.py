"""The time limit of approvals, and the answer that a question gets when it ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from workflows.models import Approval, Run, State

YES_OR_NO = (Approval.Kind.APPROVE, Approval.Kind.COMMAND, Approval.Kind.TOOL, Approval.Kind.MODEL)
"""Kinds of questions that can be denied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimit:
    """Time that an approval may stay open, and then its outcome: `deny`, `approve`, or `end` for
    the end of the run."""

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


def own_limits(run: Run, states: Iterable[str]) -> dict[str, dict[str, Any] | None]:
    """State → the limit for questions of this run in it, with its `scope`; None for that of the
    server. The limit of the run has precedence over that of the state, and this over the pack's."""
    states = set(states)
    of_run: dict[str, Any] | None = run.options.get("approval_limit")
    if of_run:
        return {key: {**of_run, "scope": "run"} for key in states}
    of_pack: dict[str, Any] | None = run.pack.approval_limit
    wide: dict[str, Any] | None = {**of_pack, "scope": "pack"} if of_pack else None
    found: dict[str, dict[str, Any] | None] = dict.fromkeys(states, wide)
    rows = State.objects.filter(pack_id=run.pack_id, key__in=states, approval_limit__isnull=False)
    for key, limit in rows.values_list("key", "approval_limit"):
        if limit:
            found[key] = {**limit, "scope": "state"}
    return found


def limit_on(approval: Approval) -> TimeLimit | None:
    """The limit of one approval; None if it may stay open."""
    if approval.limit is None:
        return time_limit()
    if not approval.limit["hours"]:
        return None
    hours, outcome = approval.limit["hours"], approval.limit["outcome"]
    return TimeLimit(after=timedelta(hours=hours), outcome=outcome)


def outcome_at_limit(approval: Approval) -> str:
    """The outcome when the time limit ends: `approve`, `deny`, `end`, or "" if the question stays
    open.

    Questions that need more than yes or no stay open, unless the run ends. Only plain questions are
    approved: a command or call is never run because a person did not answer.
    """
    limit = limit_on(approval)
    if limit is None:
        return ""
    if limit.outcome == "end":
        return "end"
    if approval.kind not in YES_OR_NO:
        return ""
    if limit.outcome != "approve":
        return "deny"
    plain = approval.kind == Approval.Kind.APPROVE and approval.asks.get("call") is None
    return "approve" if plain else ""


def deadline(approval: Approval) -> datetime | None:
    """The time of the outcome of an open approval; None if it has none."""
    limit = limit_on(approval)
    if limit is None or approval.status != Approval.Status.OPEN or not outcome_at_limit(approval):
        return None
    return approval.asked_at + limit.after
