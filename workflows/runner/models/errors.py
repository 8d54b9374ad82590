"""Errors of model requests, as sentences with the next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.conversation.providers import named
from workflows.installation import missing_library
from workflows.providers.endpoint import Endpoint
from workflows.runner.models.remedies import again, change_the_model, enter_another_key, retry
from workflows.runner.models.response import (
    MAX_MESSAGE,
    EmptyResponse,
    IncompleteResponse,
    ResponseTimeout,
)
from workflows.security.egress import PrivateAddress


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFault:
    """`why`: the problem. `remedy`: the next step.

    `retryable`: a retry may succeed soon. `final`: a retry cannot succeed, so the pack handles the
    error. `retry_after`: seconds that the provider asked for, None without a request.
    """

    why: str
    remedy: str = ""
    retryable: bool = False
    final: bool = False
    retry_after: float | None = None

    @property
    def sentence(self) -> str:
        return f"{self.why} {self.remedy}".strip()


_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""Kinds of errors → the status with which a provider sends them."""
BUILD_ERRORS = (AssertionError, ValueError, TypeError, LookupError, RecursionError)
"""Errors of a library that cannot build a request of these parts."""


def to_fault(
    error: BaseException, endpoint: Endpoint, model: str, *, was_sent: bool = True
) -> ModelFault:
    """The fault for any exception of an attempt. `was_sent`: False if it sent no request."""
    if missing := missing_library(error):
        return ModelFault(why=f"Models need a library: {missing}", remedy=retry(endpoint))
    from pydantic_ai import exceptions

    who, message = f"The connection “{endpoint.name}”", _server_message(error, endpoint)
    match error:
        case exceptions.ModelRequestRejectedError():
            return _rejected(error, endpoint, model)
        case exceptions.ModelConnectionError() | ResponseTimeout() | IncompleteResponse():
            return _connection_fault(error, endpoint)
        case PrivateAddress():
            return ModelFault(why=f"{who} was refused: {error}", remedy=retry(endpoint))
        case exceptions.ModelQuotaExceededError():
            return ModelFault(
                why=f"{who} has no quota or credit left{message}.",
                remedy=f"Top it up, then {again(endpoint)}.",
            )
        case exceptions.ModelRateLimitError(retry_after=wait):
            why = f"{who} has reached its rate limit{message}."
            return ModelFault(
                why=why,
                remedy=f"Wait a few minutes, then {again(endpoint)}.",
                retryable=True,
                retry_after=wait,
            )
        case exceptions.ModelUnavailableError(retry_after=wait):
            why = f"{who} is overloaded or down{message}."
            return ModelFault(
                why=why,
                remedy=f"When it is back, {again(endpoint)}.",
                retryable=True,
                retry_after=wait,
            )
        case exceptions.ModelServerError(retry_after=wait):
            why = f"The server behind “{endpoint.name}” failed{message}."
            return ModelFault(why=why, remedy=retry(endpoint), retryable=True, retry_after=wait)
        case exceptions.AgentRunError() | EmptyResponse():
            why = f"{who} returned an invalid answer{message}."
            return ModelFault(
                why=why, remedy=f"Check its address and kind. {retry(endpoint)}", retryable=True
            )
        case exceptions.UserError():
            return ModelFault(
                why=f"{who} does not support this request: {_clean(str(error), endpoint)}",
                final=True,
            )
        case _ if not was_sent and isinstance(error, BUILD_ERRORS):
            message = _clean(str(error), endpoint).rstrip(".") or type(error).__name__
            why = f"This request cannot be sent to {named([endpoint.kind])}: {message}."
            return ModelFault(why=why, final=True)
        case _:
            why = f"{who} failed unexpectedly ({type(error).__name__})."
            return ModelFault(why=why, remedy=retry(endpoint))


def _rejected(error: Exception, endpoint: Endpoint, model: str) -> ModelFault:
    """The fault of a rejected request: a retry cannot help, but a person can if the connection is
    at fault."""
    from pydantic_ai import exceptions

    who, message = f"The connection “{endpoint.name}”", _server_message(error, endpoint)
    match error:
        case exceptions.ModelAuthenticationError():
            why = f"{who} rejected its key{message}."
            return ModelFault(why=why, remedy=enter_another_key(endpoint))
        case exceptions.ModelNotFoundError():
            why = f"{who} has no model {model!r}, or its address is wrong{message}."
            return ModelFault(why=why, remedy=change_the_model(endpoint, model))
        case exceptions.ModelContextWindowExceededError():
            why = f"The prompt is longer than the context window of {model}{message}."
            return ModelFault(why=why, final=True)
        case _:
            return ModelFault(why=f"{who} rejected the request{message}.", final=True)


def _connection_fault(error: BaseException, endpoint: Endpoint) -> ModelFault:
    """The fault of a lost connection or a timeout."""
    from pydantic_ai import exceptions

    who = f"The connection “{endpoint.name}”"
    match error:
        case ResponseTimeout(seconds=seconds):
            return ModelFault(
                why=f"{who} did not answer within {seconds:g} seconds.", remedy=retry(endpoint)
            )
        case exceptions.ModelTimeoutError():
            return ModelFault(why=f"{who} took too long.", remedy=retry(endpoint), retryable=True)
        case exceptions.ModelConnectionError(phase="connect"):
            remedy = f"Check that its server runs and its address is right, then {again(endpoint)}."
            return ModelFault(why=f"{who} cannot be reached.", remedy=remedy, retryable=True)
        case _:
            why = f"{who} closed the connection in the middle of an answer."
            return ModelFault(why=why, remedy=retry(endpoint), retryable=True)


def _server_message(error: BaseException, endpoint: Endpoint) -> str:
    """`: status 429, "Slow down."`, or "" without a message of the server."""
    parts = []
    status = getattr(error, "status_code", None)
    if status:
        parts.append(f"status {status}")
    message = _message(getattr(error, "body", None))
    if message:
        parts.append(f"“{_clean(message, endpoint).rstrip('.')}”")
    return f": {', '.join(parts)}" if parts else ""


def error_status(body: Mapping[str, Any]) -> int | None:
    """The status of the error that a response with status 200 contains; None without one."""
    error = body.get("error") or _choice_error(body)
    if not error or not _message(error):
        return None
    code = error.get("code") if isinstance(error, Mapping) else None
    if isinstance(code, int) and 400 <= code < 600:
        return code
    kind = error.get("type") if isinstance(error, Mapping) else None
    return _STATUSES.get(kind, 500) if isinstance(kind, str) else 500


def _message(body: Any) -> str:
    """The message in a provider's error body, at any of its usual places."""
    for _ in range(3):
        if isinstance(body, Mapping):
            found = next((body[at] for at in ("error", "message", "detail") if body.get(at)), None)
            body = found or _choice_error(body)
    return body if isinstance(body, str) else ""


def _choice_error(body: Mapping[str, Any]) -> Any:
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice.get("error") if isinstance(choice, Mapping) else None


def _clean(text: str, endpoint: Endpoint) -> str:
    """One short line, without the key in case the server repeated it."""
    if endpoint.key:
        text = text.replace(endpoint.key, "…")
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_MESSAGE else f"{flat[:MAX_MESSAGE]}…"
