"""Channels of people for messages about approvals."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from workflows.actions.connections import check_address
from workflows.db.text import is_storable
from workflows.errors import BadRequest
from workflows.models import NotificationChannel
from workflows.security.encryption import encrypt

MAX_CHANNELS = 10
MAX_ADDRESS = 1_000


def add_channel(person: User, kind: str, address: str) -> NotificationChannel:
    """Add a channel. Raises BadRequest for an address that cannot be used."""
    address = address.strip()
    if len(address) > MAX_ADDRESS or not is_storable(address):
        raise BadRequest("This address is too long.", where="address")
    if NotificationChannel.objects.filter(person=person).count() >= MAX_CHANNELS:
        raise BadRequest(f"You have {MAX_CHANNELS} channels. Remove one first.", where="address")
    match kind:
        case NotificationChannel.Kind.MAIL:
            shown = _mail(address)
        case NotificationChannel.Kind.CHAT:
            shown = check_address(address, "address")
        case _:
            raise BadRequest("A channel is chat or mail.", where="kind")
    return NotificationChannel.objects.create(
        person=person, kind=kind, sealed_address=encrypt(address), shown=shown[:200]
    )


def remove_channel(person: User, number: int) -> None:
    """Remove a channel of this person, with its unsent messages."""
    NotificationChannel.objects.filter(person=person, pk=number).delete()


def _mail(address: str) -> str:
    if not settings.SIGNALBOX_SMTP:
        raise BadRequest(
            "This server sends no mail.", hint="Its operator sets SIGNALBOX_SMTP.", where="address"
        )
    try:
        validate_email(address)
    except ValidationError:
        raise BadRequest(f"{address[:80]!r} is not a mail address.", where="address") from None
    return address
