"""Webhook authentication, rate limiting and request bodies."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from workflows.actions.run_programs import check_budget, check_mode
from workflows.actions.trigger_runs import Fired, fire, note_refused
from workflows.core.triggers.webhook_inputs import BadBody, decoded, inputs_from
from workflows.core.triggers.webhook_signature import is_authentic
from workflows.errors import BadDelivery, BadRequest, NotProven
from workflows.models import Firing, Pack, Trigger
from workflows.runner.drivers import drivers
from workflows.security.encryption import DecryptionFailed, decrypt, encrypt
from workflows.selectors.model_choices import connection_for
from workflows.selectors.packs import required_inputs
from workflows.selectors.triggers import trigger_at

MAX_BODY = 1024 * 1024
"""Bytes of a request body."""
KEYS = ("idempotency-key", "webhook-id", "x-github-delivery")
"""Headers with which senders mark a repeated delivery."""
MAX_KEY = 200
MINUTE = timedelta(minutes=1)
OPTIONS = ("inputs", "connection", "model", "mode", "budget", "seed", "commands", "deny")
ATTENDED_DRIVERS = ("script",)
"""Drivers that an unattended run cannot use."""


def check_run_options(
    pack: Pack,
    driver: str,
    options: Mapping[str, Any],
    owner: User | None,
    takes: Mapping[str, Any],
) -> None:
    """Validate the options of the runs of this owner's trigger, which has the inputs of `options`
    and `takes`. Raises BadRequest, and NotThere for a connection."""
    names = sorted(set(drivers()) - set(ATTENDED_DRIVERS))
    if driver not in names:
        raise BadRequest(
            f"A trigger has no driver {driver!r}. Use one of {', '.join(names)}.", where="driver"
        )
    for name in options:
        if name not in OPTIONS:
            raise BadRequest(
                f"A trigger has no option {name!r}. Use one of {', '.join(OPTIONS)}.",
                where=f"options.{name}",
            )
    inputs = options.get("inputs") or {}
    if not isinstance(inputs, dict) or not all(isinstance(one, str) for one in inputs.values()):
        raise BadRequest("Inputs must map names to texts.", where="options.inputs")
    missing = [one for one in required_inputs(pack) if not inputs.get(one) and one not in takes]
    if missing and driver != "rehearsal":
        raise BadRequest(
            f"A run needs the input {missing[0]!r}, and this trigger has no value for it.",
            hint="Enter a value, or for a webhook its place in the body.",
            where="options.inputs",
        )
    check_budget(options.get("budget") or {})
    check_mode(options)
    if driver == "model":
        connection_for(pack, str(options.get("connection") or ""), owner)


def authenticated_trigger(address: str, headers: Mapping[str, str], body: bytes) -> Trigger:
    """The webhook at this address, if the request proves its secret. `headers` have lower-case
    names.

    Raises NotProven: the same error after the same work for a wrong secret and for no webhook.
    """
    row = trigger_at(address)
    try:
        secret = decrypt(row.sealed_secret if row else _dummy_secret())
    except DecryptionFailed:
        row, secret = None, decrypt(_dummy_secret())
    if not is_authentic(secret, headers, body, time.time()) or row is None:
        raise NotProven
    return row


def seconds_to_wait(row: Trigger) -> int:
    """Seconds until this webhook may start another run; 0 if it may now."""
    limit = settings.SIGNALBOX_WEBHOOK_RATE
    now = timezone.now()
    newest = Firing.objects.filter(trigger=row, at__gt=now - MINUTE, tried=False).order_by("-at")
    times = list(newest.values_list("at", flat=True)[:limit])
    if len(times) < limit:
        return 0
    return max(1, round((times[-1] + MINUTE - now).total_seconds()))


def is_repeated(row: Trigger, headers: Mapping[str, str]) -> bool:
    """Return True if this delivery has already started its run. Repeated deliveries are not
    limited."""
    key = _key(headers)
    return bool(key) and Firing.objects.filter(trigger=row, key=key).exists()


def deliver(row: Trigger, headers: Mapping[str, str], body: bytes) -> Fired:
    """Start the run for this request. Raises as `fire` does, and BadDelivery."""
    try:
        plain = decoded(body, headers, MAX_BODY)
    except BadBody as error:
        note_refused(row, str(error))
        raise BadDelivery(str(error), where="body") from None
    return fire(row, inputs=_inputs(row, plain), key=_key(headers))


def start_test_run(row: Trigger, body: bytes) -> Fired:
    """Start a run as if this body, or the time, had arrived, also if the trigger is off."""
    return fire(row, inputs=_inputs(row, body, tried=True), tried=True)


def _inputs(row: Trigger, body: bytes, *, tried: bool = False) -> dict[str, str]:
    try:
        return inputs_from(row.takes, body, row.options.get("inputs") or {})
    except BadBody as error:
        note_refused(row, str(error), tried=tried)
        raise BadDelivery(str(error), where="body") from None


def _key(headers: Mapping[str, str]) -> str:
    """The delivery's key. Raises BadDelivery if it is too long to be stored."""
    for name in KEYS:
        if key := headers.get(name, "").strip():
            if len(key) > MAX_KEY:
                raise BadDelivery(f"A key has at most {MAX_KEY} characters.", where=name)
            return f"key:{key}"
    return ""


@cache
def _dummy_secret() -> str:
    """A secret of the usual length, so that its decryption takes the usual time."""
    return encrypt("whsec_" + "A" * 43 + "=")
