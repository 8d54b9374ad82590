"""A recorded model call, sent again with changes. Its answer is not stored; no run continues."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workflows.core.conversation.check import RequestRefused, check_question
from workflows.core.engine.effects import AskModel
from workflows.core.engine.signals import Reply
from workflows.errors import BadRequest, CallerError
from workflows.providers.endpoint import Endpoint
from workflows.runner.drivers.base import ModelUnavailable
from workflows.runner.drivers.models import model_name
from workflows.runner.models.clients import close_clients
from workflows.runner.models.errors import to_fault
from workflows.runner.models.retries import RetryPolicy, ask_once
from workflows.runner.models.sent_requests import SentRequests

TRIAL_POLICY = RetryPolicy(tries=1, answer=120.0)
AGAIN = "Change the request or the connection, then send it again."


class TrialRefused(CallerError):
    """The model gave no answer to this trial."""

    code = "trial_refused"
    status = 422


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialChanges:
    """Replacements in a recorded call; None keeps what was recorded. `texts`: position of a message
    → its new text. `parameters` are added to the recorded ones; null removes one."""

    system: str | None = None
    developer: str | None = None
    texts: Mapping[int, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The answer to a trial, and the seconds that it took."""

    reply: Reply
    seconds: float


def changed_question(effect: AskModel, changes: TrialChanges) -> AskModel:
    """The call with these changes. Raises BadRequest for a message that it does not have."""
    messages = list(effect.messages)
    for position, text in changes.texts.items():
        if position not in range(len(messages)):
            counted = f"messages 0 to {len(messages) - 1}" if messages else "no messages"
            raise BadRequest(
                f"There is no message {position}: the call has {counted}.", where="texts"
            )
        messages[position] = replace(messages[position], text=text)
    parameters = {
        name: value
        for name, value in {**effect.parameters, **changes.parameters}.items()
        if value is not None
    }
    return replace(
        effect,
        system=effect.system if changes.system is None else changes.system,
        developer=effect.developer if changes.developer is None else changes.developer,
        messages=tuple(messages),
        parameters=parameters,
    )


def run_trial(effect: AskModel, changes: TrialChanges, endpoint: Endpoint) -> Trial:
    """Send the changed call once. Blocks until it is answered. Raises TrialRefused."""
    question = changed_question(effect, changes)
    try:
        check_question(question, endpoint.kind)
        name = model_name(question, endpoint, {"model": changes.model})
        return asyncio.run(_answered(question, endpoint, name))
    except (RequestRefused, ModelUnavailable) as refused:
        raise TrialRefused(str(refused), hint=AGAIN) from None


async def _answered(question: AskModel, endpoint: Endpoint, name: str) -> Trial:
    started, sent = time.monotonic(), SentRequests()
    try:
        with sent.recorded():
            reply = await ask_once(question, endpoint, name, policy=TRIAL_POLICY)
    except Exception as error:
        fault = to_fault(error, endpoint, name, was_sent=sent.has_unreported)
        raise TrialRefused(fault.why, hint=AGAIN) from None
    finally:
        await close_clients()
    reply = replace(reply, provider=endpoint.kind, model=name, sent=sent.fields())
    return Trial(reply=reply, seconds=round(time.monotonic() - started, 3))
