"""What can go wrong between a run and a model, in sentences that say what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.models.endpoint import Endpoint
from workflows.runner.models.response import IncompleteResponse, NoAnswer, TooSlow
from workflows.security.egress import PrivateAddress

LONGEST = 300
RESUME = "Resume to ask it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`why` says what is wrong and `how` what to do about it.

    `again`: it may go better in a moment. `final`: asking the same again is no use at all, so
    it is the pack's to deal with. `wait`: seconds that the provider asked to wait, if it did."""

    why: str
    how: str = ""
    again: bool = False
    final: bool = False
    wait: float | None = None

    @property
    def sentence(self) -> str:
        return f"{self.why} {self.how}".strip()


def to_fault(error: BaseException, reach: Endpoint, model: str) -> Fault:
    """Any exception of an attempt."""
    from pydantic_ai import exceptions as known

    who, said = f"The connection “{reach.name}”", _said(error, reach)
    match error:
        case known.ModelRequestRejectedError():
            return _rejected(error, reach, model)
        case known.ModelConnectionError() | TooSlow() | IncompleteResponse():
            return _broken_off(error, who)
        case PrivateAddress():
            return Fault(why=f"{who} is refused: {error}", how=RESUME)
        case known.ModelQuotaExceededError():
            return Fault(
                why=f"{who} has no quota or credit left{said}.", how="Top it up, then resume."
            )
        case known.ModelRateLimitError(retry_after=wait):
            why = f"{who} is asked too often (rate limit{said})."
            return Fault(why=why, how="Wait a while, then resume.", again=True, wait=wait)
        case known.ModelUnavailableError(retry_after=wait):
            why = f"{who} is overloaded or down{said}."
            return Fault(why=why, how="Resume when it is back.", again=True, wait=wait)
        case known.ModelServerError(retry_after=wait):
            why = f"The server behind “{reach.name}” failed{said}."
            return Fault(why=why, how=RESUME, again=True, wait=wait)
        case known.AgentRunError() | NoAnswer():
            why = f"{who} answered with something that is no answer{said}."
            return Fault(why=why, how=f"Are its address and kind right? {RESUME}", again=True)
        case known.UserError():
            return Fault(why=f"{who} cannot be asked this: {_clean(str(error), reach)}", final=True)
        case _:
            why = f"{who} answered in a way that nobody foresaw ({type(error).__name__})."
            return Fault(why=why, how=RESUME)


def _rejected(error: Exception, reach: Endpoint, model: str) -> Fault:
    """What asking again cannot mend; a person may, where it is the connection's fault."""
    from pydantic_ai import exceptions as known

    who, said = f"The connection “{reach.name}”", _said(error, reach)
    match error:
        case known.ModelAuthenticationError():
            why = f"{who} does not take this key{said}."
            return Fault(why=why, how="Enter another under Settings, then resume.")
        case known.ModelNotFoundError():
            why = f"{who} has no model {model!r}, or its address is wrong{said}."
            return Fault(why=why, how="Change it under Settings, then resume.")
        case known.ModelContextWindowExceededError():
            return Fault(why=f"This is longer than {model} can read{said}.", final=True)
        case _:
            return Fault(why=f"{who} refuses what it is asked{said}.", final=True)


def _broken_off(error: BaseException, who: str) -> Fault:
    """The way there, or the time."""
    from pydantic_ai import exceptions as known

    match error:
        case TooSlow(seconds=seconds):
            return Fault(why=f"{who} gave no answer within {seconds:g} seconds.", how=RESUME)
        case known.ModelTimeoutError():
            return Fault(why=f"{who} took too long.", how=RESUME, again=True)
        case known.ModelConnectionError(phase="connect"):
            how = "See that its server runs and its address is right, then resume."
            return Fault(why=f"{who} cannot be reached.", how=how, again=True)
        case _:
            why = f"{who} broke off in the middle of an answer."
            return Fault(why=why, how=RESUME, again=True)


def _said(error: BaseException, reach: Endpoint) -> str:
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


def _clean(text: str, reach: Endpoint) -> str:
    """One short line, without the key should the server have repeated it."""
    if reach.key:
        text = text.replace(reach.key, "…")
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[:LONGEST]}…"
