"""Triggers: create, change, delete. Callers check driver, connection and budget first. Secrets are
shown once, to their creator."""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from workflows.actions.command_right import require_command_right
from workflows.core.triggers.schedule import BadSchedule, checked, due_after
from workflows.core.triggers.webhook_inputs import check_mapping
from workflows.db.text import is_storable
from workflows.errors import BadRequest
from workflows.models import Pack, Revision, Trigger
from workflows.security.egress import host_of
from workflows.security.encryption import encrypt
from workflows.selectors.triggers import trigger_numbered

SECRET_BEGINS = "whsec_"
"""Prefix of Standard Webhooks secrets; the rest is the base64 of the key."""
MAX_CALLBACK = 1_000
PLAIN = ("enabled", "follows", "revision", "missed", "overlap", "driver")


@transaction.atomic
def create(pack: Pack, *, kind: str, by: User, **fields: Any) -> tuple[Trigger, str]:
    """Create a trigger. Returns it with the secret of a webhook ("" for a schedule), which can be
    read only now.

    `fields`: name, driver, options, takes, follows, revision, enabled, callback, cron,
    timezone, missed, overlap.
    Raises BadRequest for an invalid value.
    """
    if kind not in Trigger.Kind.values:
        raise BadRequest("A trigger is a webhook or a schedule.", where="kind")
    row = Trigger(pack=pack, kind=kind, owner=by)
    if fields.get("follows", row.follows) == "pinned" and not fields.get("revision"):
        fields["revision"] = pack.head
    secret = _fresh_secret(row) if kind == "webhook" else ""
    _set(row, by, fields)
    row.save(force_insert=True)
    return row, secret


@transaction.atomic
def change(trigger: int, *, by: User, **fields: Any) -> Trigger:
    """Change the given fields, named as in `create`. Raises NotThere and BadRequest."""
    row = trigger_numbered(trigger, lock=True)
    if fields.get("follows") == "pinned" and not fields.get("revision") and not row.revision:
        fields["revision"] = row.pack.head
    _set(row, by, fields)
    row.save()
    return row


@transaction.atomic
def new_secret(trigger: int) -> tuple[Trigger, str]:
    """Replace the secret; the old one is invalid at once. Raises NotThere and BadRequest."""
    row = trigger_numbered(trigger, lock=True)
    if row.kind != "webhook":
        raise BadRequest("Only a webhook has a secret.", where="kind")
    secret = _fresh_secret(row)
    row.save(update_fields=["sealed_secret", "changed_at"])
    return row, secret


@transaction.atomic
def delete(trigger: int) -> None:
    """Delete a trigger. Its runs are kept. Raises NotThere."""
    trigger_numbered(trigger, lock=True).delete()


def next_due(row: Trigger, after: datetime) -> datetime | None:
    """Next time of a schedule; None for one that is switched off, and for a webhook."""
    if row.kind != "schedule" or not row.enabled:
        return None
    return next(due_after(row.cron, row.timezone, after))


def _fresh_secret(row: Trigger) -> str:
    secret = SECRET_BEGINS + b64encode(secrets.token_bytes(32)).decode()
    row.sealed_secret = encrypt(secret)
    return secret


def _set(row: Trigger, by: User, fields: Mapping[str, Any]) -> None:
    """Set validated fields. Raises BadRequest."""
    before = (row.cron, row.timezone, row.enabled, row.pk is not None)
    if "name" in fields or row.pk is None:
        row.name = _name(str(fields.get("name", "")))
    for field in PLAIN:
        if field in fields:
            setattr(row, field, fields[field])
    if "options" in fields:
        row.options = _options(row, by, fields["options"])
    if "takes" in fields:
        row.takes = _takes(fields["takes"])
    if "callback" in fields:
        row.callback = _callback(row, str(fields["callback"]).strip())
    for field in ("cron", "timezone"):
        if field in fields:
            setattr(row, field, fields[field].strip())
    _check_choices(row)
    _check_revision(row)
    if row.kind == "schedule":
        _check_schedule(row)
    if (row.cron, row.timezone, row.enabled, row.pk is not None) != before or row.pk is None:
        row.next_at = next_due(row, timezone.now())


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > 100 or not is_storable(name):
        raise BadRequest("A trigger needs a name of at most 100 characters.", where="name")
    return name


def _options(row: Trigger, by: User, values: Mapping[str, Any]) -> dict[str, Any]:
    """Validated options. Only the owner of a trigger may let its runs run commands, and only if the
    operator allows commands."""
    options = dict(values)
    if options.get("commands") and not (row.options or {}).get("commands"):
        if not settings.SIGNALBOX_COMMANDS:
            raise BadRequest(
                "This server runs no commands.",
                hint="The operator allows them with SIGNALBOX_COMMANDS=1.",
                where="options.commands",
            )
        if row.owner_id != by.pk:
            raise BadRequest(
                "Only the owner of a trigger may let its runs run commands.",
                where="options.commands",
            )
        require_command_right(by, where="options.commands")
    return options


def _takes(mapping: Mapping[str, Any]) -> dict[str, str]:
    try:
        check_mapping(mapping)
    except ValueError as error:
        raise BadRequest(str(error), where="takes") from None
    return dict(mapping)


def _callback(row: Trigger, address: str) -> str:
    if not address:
        return ""
    if row.kind != "webhook":
        raise BadRequest("Only a webhook has a callback.", where="callback")
    if len(address) > MAX_CALLBACK or not is_storable(address):
        raise BadRequest("This address is too long.", where="callback")
    try:
        host_of(address)
    except ValueError as error:
        raise BadRequest(str(error), where="callback") from None
    return address


def _check_choices(row: Trigger) -> None:
    for field, choices in (
        ("follows", Trigger.Follows),
        ("missed", Trigger.Missed),
        ("overlap", Trigger.Overlap),
    ):
        if getattr(row, field) not in choices.values:
            words = ", ".join(choices.values)
            raise BadRequest(f"`{field}` is one of {words}.", where=field)


def _check_revision(row: Trigger) -> None:
    if row.follows != "pinned":
        row.revision = None
    elif not Revision.objects.filter(pack=row.pack, number=row.revision or 0).exists():
        raise BadRequest(f"This pack has no revision {row.revision}.", where="revision")


def _check_schedule(row: Trigger) -> None:
    try:
        row.cron = checked(row.cron, row.timezone)
    except BadSchedule as error:
        raise BadRequest(str(error), where="cron") from None
    row.timezone = row.timezone or "UTC"
