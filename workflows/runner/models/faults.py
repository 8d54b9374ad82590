"""What can go wrong between a run and a model, in sentences that say what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.addresses import PrivateAddress
from workflows.reach import Reach
from workflows.runner.models.hearing import Unfinished

LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`again`: it may go better in a moment. `final`: asking the same again is no use at all, so
    it is the pack's to deal with. `wait`: seconds that the provider asked to wait, if it did."""

    sentence: str
    again: bool = False
    final: bool = False
    wait: float | None = None


def fault_of(error: BaseException, reach: Reach, model: str) -> Fault:
    """Any exception of an attempt."""
    from pydantic_ai import exceptions as known

    who, said = f"The connection “{reach.name}”", _said(error, reach)
    match error:
        case known.ModelRequestRejectedError():
            return _rejected(error, reach, model)
        case known.ModelConnectionError() | known.ModelRequestTimeout() | Unfinished():
            return _broken_off(error, who)
        case PrivateAddress():
            return Fault(sentence=f"{who} is refused: {error}")
        case known.ModelQuotaExceededError():
            why = f"{who} has no quota or credit left{said}. Top it up, then resume."
            return Fault(sentence=why)
        case known.ModelRateLimitError():
            why = f"{who} is being asked too often (rate limit{said}). Wait a while, then resume."
            return Fault(sentence=why, again=True, wait=error.retry_after)
        case known.ModelUnavailableError():
            why = f"{who} is overloaded or down{said}. Resume when it is back."
            return Fault(sentence=why, again=True, wait=error.retry_after)
        case known.ModelServerError():
            why = f"The server behind “{reach.name}” failed{said}. Resume to ask it again."
            return Fault(sentence=why, again=True, wait=error.retry_after)
        case known.AgentRunError():
            why = f"{who} answered with something that is no answer{said}."
            how = "See that its address and kind are right, then resume."
            return Fault(sentence=f"{why} {how}", again=True)
        case known.UserError():
            why = _clean(str(error), reach)
            return Fault(sentence=f"{who} cannot be asked this: {why}", final=True)
        case _:
            why = f"{who} answered in a way that nobody foresaw ({type(error).__name__})."
            return Fault(sentence=f"{why} Resume to ask it again.")


def _rejected(error: Exception, reach: Reach, model: str) -> Fault:
    """What asking again cannot mend; a person may, where it is the connection's fault."""
    from pydantic_ai import exceptions as known

    who, said = f"The connection “{reach.name}”", _said(error, reach)
    match error:
        case known.ModelAuthenticationError():
            why = f"{who} does not take this key{said}. Enter another under Settings, then resume."
            return Fault(sentence=why)
        case known.ModelNotFoundError():
            why = f"{who} has no model {model!r}, or its address is wrong{said}."
            return Fault(sentence=f"{why} Change it under Settings, then resume.")
        case known.ModelContextWindowExceededError():
            why = f"What the run asks is longer than {model} can read{said}."
            return Fault(sentence=why, final=True)
        case _:
            return Fault(sentence=f"{who} refuses what the run asks{said}.", final=True)


def _broken_off(error: BaseException, who: str) -> Fault:
    """The way there, or the time."""
    from pydantic_ai import exceptions as known

    match error:
        case known.ModelRequestTimeout(timeout=seconds):
            why = f"{who} gave no answer within {seconds:g} seconds. Resume to ask it again."
            return Fault(sentence=why)
        case known.ModelTimeoutError():
            return Fault(sentence=f"{who} took too long. Resume to ask it again.", again=True)
        case known.ModelConnectionError(phase="connect"):
            why = f"{who} cannot be reached."
            how = "See that its server runs and its address is right, then resume."
            return Fault(sentence=f"{why} {how}", again=True)
        case _:
            why = f"{who} broke off in the middle of an answer. Resume to ask it again."
            return Fault(sentence=why, again=True)


def _said(error: BaseException, reach: Reach) -> str:
    """`: status 429, "Slow down."`, or "" where the server said nothing."""
    parts = []
    status = getattr(error, "status_code", None)
    if status:
        parts.append(f"status {status}")
    message = _message(getattr(error, "body", None))
    if message:
        parts.append(f"“{_clean(message, reach).rstrip('.')}”")
    return f": {', '.join(parts)}" if parts else ""


def _message(body: Any) -> str:
    """The sentence in a provider's error body, wherever it stands."""
    for _ in range(3):
        if isinstance(body, Mapping):
            body = body.get("error") or body.get("message") or body.get("detail")
    return body if isinstance(body, str) else ""


def _clean(text: str, reach: Reach) -> str:
    """One short line, without the key should the server have repeated it."""
    if reach.key:
        text = text.replace(reach.key, "…")
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[:LONGEST]}…"
