"""Messages about approvals: written with the approval, claimed by one worker, sent once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from roles.rights import Level, level_of
from workflows.db.text import to_storable
from workflows.errors import BadRequest
from workflows.models import Approval, ApprovalNotice, NotificationChannel
from workflows.selectors.approval_deadlines import limit_on

LEASE = timedelta(minutes=2)
"""Time after which a claimed message is sent again, if its worker was killed."""
FIRST_WAIT = timedelta(seconds=30)
MAX_TRIES = 8
AT_ONCE = 20


def write_notices(approvals: Sequence[Approval], person: User | None) -> None:
    """Write the messages about new approvals to a person. Part of the writer's transaction."""
    if person is None or not person.is_active:
        return
    rows = []
    for channel in NotificationChannel.objects.filter(person=person):
        for approval in approvals:
            rows.append(ApprovalNotice(approval=approval, channel=channel, due=approval.asked_at))
            limit = limit_on(approval)
            if limit is not None:
                half = approval.asked_at + limit.after / 2
                kind = ApprovalNotice.Kind.REMINDER
                rows.append(ApprovalNotice(approval=approval, channel=channel, kind=kind, due=half))
    ApprovalNotice.objects.bulk_create(rows, ignore_conflicts=True)


def claim_notices(now: datetime | None = None) -> list[ApprovalNotice]:
    """Due messages that no other worker sends now. A message about an answered approval is done
    without being sent."""
    now = now or timezone.now()
    unsent = ApprovalNotice.objects.filter(done_at=None, due__lte=now)
    unsent.exclude(approval__status=Approval.Status.OPEN).update(done_at=now)
    with transaction.atomic():
        rows = list(
            unsent.select_for_update(skip_locked=True, of=("self",))
            .select_related("approval__run__pack", "channel__person")
            .order_by("due")[:AT_ONCE]
        )
        for row in rows:
            row.tries += 1
            row.due = now + LEASE
            row.save(update_fields=["tries", "due"])
    return rows


def sent(row: ApprovalNotice) -> None:
    """The message was accepted by its receiver."""
    row.done_at, row.error = timezone.now(), ""
    row.save(update_fields=["done_at", "error"])


def not_sent(row: ApprovalNotice, why: str) -> None:
    """The message was not accepted: try again later, up to MAX_TRIES times."""
    now = timezone.now()
    row.error = to_storable(why)[:300]
    row.due = now + FIRST_WAIT * 2 ** (row.tries - 1)
    row.done_at = now if row.tries >= MAX_TRIES else None
    row.save(update_fields=["due", "done_at", "error"])


def pass_on(approval: Approval, name: str) -> None:
    """Ask another person to answer, by name; "" withdraws that. Raises BadRequest for a person who
    may not answer."""
    if approval.status != Approval.Status.OPEN:
        raise BadRequest("This approval is no longer open.", where="person")
    person = User.objects.filter(username=name, is_active=True).first() if name else None
    if name and (person is None or level_of(person, approval) < Level.EDIT):
        raise BadRequest(
            f"{name[:80]!r} may not answer this.",
            hint="Share the pack with them for editing first.",
            where="person",
        )
    with transaction.atomic():
        Approval.objects.filter(pk=approval.pk).update(passed_to=person)
        write_notices([approval], person)
