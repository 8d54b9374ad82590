"""Signed links with which a person answers one approval without signing in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.urls import reverse

from workflows.models import Approval

SALT = "signalbox: approval link"
LIFETIME = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTarget:
    """The approval, and the person as whom the link answers."""

    approval: Approval
    person: User


def link_token(approval: Approval, person: User) -> str:
    return signing.dumps([approval.pk.hex, person.pk], salt=SALT)


def link_address(approval: Approval, person: User) -> str:
    """The address for a message; "" if the server does not know its own address."""
    base = settings.SIGNALBOX_ADDRESS
    path = reverse("approval-link", args=[link_token(approval, person)])
    return f"{base.rstrip('/')}{path}" if base else ""


def target_of(token: str) -> LinkTarget | None:
    """The target of a link; None if it is forged, too old, or its approval or person is gone."""
    try:
        approval_id, person_id = signing.loads(token, salt=SALT, max_age=LIFETIME)
        approval = Approval.objects.select_related("run__pack").get(pk=UUID(approval_id))
        person = User.objects.get(pk=person_id, is_active=True)
    except (signing.BadSignature, ValueError, TypeError, Approval.DoesNotExist, User.DoesNotExist):
        return None
    return LinkTarget(approval=approval, person=person)
