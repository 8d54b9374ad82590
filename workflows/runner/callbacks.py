"""Sends results of runs to the callbacks of webhooks, signed as in Standard Webhooks."""

from __future__ import annotations

import asyncio
import json
import logging
import time

from django.conf import settings

from workflows.actions.callbacks import claim_callbacks, delivered, not_delivered
from workflows.actions.runs import work_of
from workflows.core.triggers.webhook_signature import standard_headers
from workflows.models import Firing
from workflows.runner.approval_messages import TIMEOUT
from workflows.security import http_client
from workflows.security.egress import PrivateAddress
from workflows.security.encryption import decrypt
from workflows.selectors.run_results import result_json
from workflows.selectors.runs import run_json, run_named

log = logging.getLogger(__name__)
ACCEPTED = range(200, 300)


class NotDelivered(Exception):
    """The receiver did not accept a result. The text is the reason."""


def send_due_callbacks() -> int:
    """Send the results of ended runs whose webhook has a callback. Returns the number of accepted
    ones."""
    accepted = 0
    for row in claim_callbacks():
        try:
            _send(row)
        except Exception as problem:
            expected = isinstance(problem, (NotDelivered, PrivateAddress))
            why = str(problem) if expected else type(problem).__name__
            log.warning("The result of run %s was not delivered: %s", row.run_id, why)
            not_delivered(row, why)
        else:
            delivered(row)
            accepted += 1
    return accepted


def _send(row: Firing) -> None:
    if not row.trigger.callback:
        raise NotDelivered("The callback was removed.")
    run = run_named(str(row.run_id))
    body = json.dumps(
        {
            "type": "run.finished",
            "delivery": row.key,
            "run": run_json(run),
            "result": result_json(run, work_of(run.pk).run),
        }
    ).encode()
    secret = decrypt(row.trigger.sealed_secret)
    headers = standard_headers(secret, str(run.pk), body, int(time.time()))
    asyncio.run(_post(row.trigger.callback, headers, body))


async def _post(address: str, headers: dict[str, str], body: bytes) -> None:
    allowed = tuple(settings.SIGNALBOX_PRIVATE_HOSTS)
    headers = {**headers, "Content-Type": "application/json"}
    async with http_client.client(timeout=TIMEOUT, allowed=allowed, headers=headers) as client:
        answer = await client.post(address, content=body)
    if answer.status_code not in ACCEPTED:
        raise NotDelivered(f"The receiver answered with status {answer.status_code}.")
