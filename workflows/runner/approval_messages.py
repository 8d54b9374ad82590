"""Sends messages about approvals to chats and mail addresses."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from django.conf import settings
from django.core.mail import send_mail

from workflows.actions.approval_limits import apply_time_limit
from workflows.actions.approval_notices import claim_notices, not_sent, sent
from workflows.models import Approval, ApprovalNotice, NotificationChannel
from workflows.security import http_client
from workflows.security.approval_links import link_address
from workflows.security.egress import PrivateAddress
from workflows.security.encryption import DecryptionFailed, decrypt
from workflows.selectors.approval_deadlines import deadline, outcome_at_limit

log = logging.getLogger(__name__)
TIMEOUT = 15.0
MAX_QUESTION = 1_000
OK = range(200, 300)
OUTCOMES = {"approve": "it is approved", "deny": "it is denied", "end": "the run ends"}


class NotDelivered(Exception):
    """The receiver did not accept a message. The text is the reason."""


def send_due_notices() -> int:
    """Send the due messages, and answer approvals past their time limit. Returns the number of
    messages that were accepted."""
    apply_time_limit()
    accepted = 0
    for row in claim_notices():
        try:
            _send(row)
        except Exception as problem:
            expected = isinstance(problem, (NotDelivered, PrivateAddress))
            why = str(problem) if expected else type(problem).__name__
            log.warning("A message about approval %s was not sent: %s", row.approval_id, why)
            not_sent(row, why)
        else:
            sent(row)
            accepted += 1
    return accepted


def _send(row: ApprovalNotice) -> None:
    try:
        address = decrypt(row.channel.sealed_address)
    except DecryptionFailed:
        raise NotDelivered("The address was encrypted with another key. Enter it again.") from None
    if row.channel.kind == NotificationChannel.Kind.MAIL:
        send_mail(title(row), text(row), settings.DEFAULT_FROM_EMAIL, [address])
    else:
        asyncio.run(_post(address, chat_body(row)))


def title(row: ApprovalNotice) -> str:
    """One line about the approval."""
    again = "Reminder: " if row.kind == ApprovalNotice.Kind.REMINDER else ""
    approval = row.approval
    line = f"{again}{approval.run.pack.name} waits for you in {approval.state}"
    return " ".join(line.split())[:200]


def text(row: ApprovalNotice) -> str:
    """The whole message as plain text. Exact commands and arguments are on the page only."""
    approval = row.approval
    address = link_address(approval, row.channel.person)
    parts = [title(row) + ".", _question(approval)]
    parts.append(f"Answer: {address}" if address else "Answer it under Approvals in Signalbox.")
    at = deadline(approval)
    if at is not None:
        outcome = OUTCOMES[outcome_at_limit(approval)]
        parts.append(f"Without an answer {outcome} after {at:%Y-%m-%d %H:%M} UTC.")
    return "\n\n".join(part for part in parts if part)


def chat_body(row: ApprovalNotice) -> dict[str, Any]:
    """The message for an incoming webhook of Slack, and of chats that accept its format. Text from
    the run is plain text, so that it can mention no person and hide no link."""
    address = link_address(row.approval, row.channel.person)
    blocks: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "plain_text", "text": part, "emoji": False}}
        for part in (title(row), _question(row.approval))
        if part
    ]
    if address:
        button = {
            "type": "button",
            "text": {"type": "plain_text", "text": "Look and answer"},
            "url": address,
        }
        blocks.append({"type": "actions", "elements": [button]})
    return {"text": _escaped(title(row)), "blocks": blocks}


def _question(approval: Approval) -> str:
    """Without the arguments of a call, which some dialects repeat in its question."""
    if call := approval.asks.get("call"):
        return f"The call of {call['name']} needs an approval."
    return approval.question[:MAX_QUESTION].strip()


def _escaped(words: str) -> str:
    """Slack reads &, < and > in `text` as markup."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


async def _post(address: str, body: dict[str, Any]) -> None:
    allowed = tuple(settings.SIGNALBOX_PRIVATE_HOSTS)
    async with http_client.client(timeout=TIMEOUT, allowed=allowed, headers={}) as client:
        answer = await client.post(address, json=body)
    if answer.status_code not in OK:
        raise NotDelivered(f"The chat answered with status {answer.status_code}.")
