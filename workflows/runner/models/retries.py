"""One question to a model: streamed, tried again where that may help, given up with a sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workflows.core.engine.effects import AskModel
from workflows.core.engine.signals import Reply
from workflows.models.endpoint import Endpoint
from workflows.runner.drivers.base import OnDelta, Unanswered
from workflows.runner.models.clients import closing_connections, model_at
from workflows.runner.models.errors import Fault, to_fault
from workflows.runner.models.request import conversation, parameters, settings
from workflows.runner.models.response import TooSlow, read_response

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

BEGUN_AGAIN = "\n[The answer broke off; asked again.]\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often a question is asked, and how long is waited in between, in seconds.

    The wait doubles from `first` up to `longest`; a provider's own `Retry-After` counts instead,
    unless it is longer than `asked`: then the run is put down rather than kept waiting. A whole
    answer may take `answer`, where the connection does not say otherwise.
    """

    tries: int = 4
    first: float = 1.0
    longest: float = 20.0
    asked: float = 60.0
    answer: float = 600.0

    def wait(self, tried: int, fault: Fault) -> float | None:
        """How long before the next try, None where there is none. `tried` counts from 1."""
        if not fault.again or tried >= self.tries:
            return None
        if fault.wait is not None:
            return fault.wait if fault.wait <= self.asked else None
        return min(self.longest, self.first * float(2 ** (tried - 1)))


async def ask(
    effect: AskModel,
    reach: Endpoint,
    name: str,
    *,
    patience: RetryPolicy,
    on_delta: OnDelta | None = None,
) -> Reply:
    """The model's reply; one with an error where the very question is the trouble.

    Raises Unanswered where it is the way there.
    """
    tried = 0
    while True:
        tried += 1
        teller = _DeltaPublisher(on_delta)
        try:
            return await ask_once(effect, reach, name, patience=patience, on_delta=teller.tell)
        except Exception as error:
            fault = to_fault(error, reach, name)
        if fault.final:
            return Reply(at=0.0, key=effect.key, error=fault.sentence)
        wait = patience.wait(tried, fault)
        if wait is None:
            often = f" It was asked {tried} times." if tried > 1 else ""
            raise Unanswered(fault.sentence + often)
        await asyncio.sleep(wait)
        if teller.told and on_delta is not None:
            await on_delta(BEGUN_AGAIN)


class _DeltaPublisher:
    """Passes pieces of text on, and knows whether there were any."""

    def __init__(self, on_delta: OnDelta | None) -> None:
        self._on_delta = on_delta
        self.told = False

    async def tell(self, text: str) -> None:
        if text and self._on_delta is not None:
            self.told = True
            await self._on_delta(text)


async def ask_once(
    effect: AskModel,
    reach: Endpoint,
    name: str,
    *,
    patience: RetryPolicy,
    on_delta: OnDelta | None = None,
) -> Reply:
    """The reply to one try. Raises whatever went wrong: see `faults`."""
    model = await model_at(reach, name)
    asked: dict[str, Any] = {
        "model_settings": settings(effect, kind=reach.kind),
        "model_request_parameters": parameters(effect, model),
    }
    seconds = reach.timeout or patience.answer
    try:
        async with asyncio.timeout(seconds) as limit, closing_connections():
            return read_response(effect, await _response(effect, model, asked, on_delta))
    except TimeoutError:
        if limit.expired():
            raise TooSlow(seconds) from None
        raise


async def _response(
    effect: AskModel, model: Model[Any], asked: Mapping[str, Any], on_delta: OnDelta | None
) -> ModelResponse:
    from pydantic_ai.direct import model_request, model_request_stream
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    if effect.parameters.get("stream") is False:
        return await model_request(model, conversation(effect), **asked)
    async with model_request_stream(model, conversation(effect), **asked) as stream:
        async for event in stream:
            match event:
                case (
                    PartStartEvent(part=TextPart(content=text))
                    | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
                ) if on_delta is not None:
                    await on_delta(text)
        return stream.get()
