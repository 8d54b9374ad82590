"""One model request: streamed, retried if a retry may succeed, ended with a reply or an error."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workflows.core.conversation.build import conversation_of
from workflows.core.engine.effects import AskModel
from workflows.core.engine.signals import Reply
from workflows.providers.endpoint import Endpoint
from workflows.providers.prices import Price, own_price
from workflows.runner.drivers.base import ModelUnavailable, OnDelta
from workflows.runner.models.clients import closing_connections, model_at
from workflows.runner.models.errors import ModelFault, to_fault
from workflows.runner.models.reasoning import HiddenReasoning
from workflows.runner.models.request import conversation, form_of, parameters, settings
from workflows.runner.models.response import ResponseTimeout, read_response
from workflows.runner.models.sent_requests import SentRequests

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model

RETRY_NOTICE = "\n[The answer was interrupted; retrying.]\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Number of attempts, and the seconds between them.

    The delay doubles from `first` up to `longest`. A provider's `Retry-After` replaces it, unless
    it exceeds `longest_asked`: then the run is paused instead. `answer` limits a complete answer,
    unless the connection sets its own limit.
    """

    tries: int = 4
    first: float = 1.0
    longest: float = 20.0
    longest_asked: float = 60.0
    answer: float = 600.0

    def wait(self, tried: int, fault: ModelFault) -> float | None:
        """Seconds before the next attempt, None to stop. `tried`: attempts so far."""
        if not fault.retryable or tried >= self.tries:
            return None
        if fault.retry_after is not None:
            return fault.retry_after if fault.retry_after <= self.longest_asked else None
        return min(self.longest, self.first * float(2 ** (tried - 1)))


async def ask(
    effect: AskModel,
    endpoint: Endpoint,
    name: str,
    *,
    policy: RetryPolicy,
    on_delta: OnDelta | None = None,
) -> Reply:
    """The model's reply, or a reply with an error if the request itself is at fault.

    Raises ModelUnavailable if the connection is at fault.
    """
    tried, sent = 0, SentRequests()
    while True:
        tried += 1
        publisher = _DeltaPublisher(on_delta)
        try:
            with sent.recorded():
                reply = await ask_once(
                    effect, endpoint, name, policy=policy, on_delta=publisher.publish
                )
            return replace(reply, sent=sent.fields())
        except Exception as error:
            fault = to_fault(error, endpoint, name, was_sent=sent.has_unreported)
        sent.failed(fault.why)
        if fault.final:
            return Reply(at=0.0, key=effect.key, error=fault.sentence, sent=sent.fields())
        wait = policy.wait(tried, fault)
        if wait is None:
            attempts = f" Signalbox tried {tried} times." if tried > 1 else ""
            raise ModelUnavailable(fault.sentence + attempts, sent.fields())
        await asyncio.sleep(wait)
        if publisher.published and on_delta is not None:
            await on_delta(RETRY_NOTICE)


class _DeltaPublisher:
    """Publishes pieces of the answer's text and records if there were any."""

    def __init__(self, on_delta: OnDelta | None) -> None:
        self._on_delta, self._reasoning = on_delta, HiddenReasoning()
        self.published = False

    async def publish(self, text: str) -> None:
        text = self._reasoning.shown(text)
        if text and self._on_delta is not None:
            self.published = True
            await self._on_delta(text)


async def ask_once(
    effect: AskModel,
    endpoint: Endpoint,
    name: str,
    *,
    policy: RetryPolicy,
    on_delta: OnDelta | None = None,
) -> Reply:
    """The reply of one attempt. Raises any error: see `errors`."""
    model, sent = await model_at(endpoint, name), conversation_of(effect)
    form = form_of(sent, endpoint.kind)
    request: dict[str, Any] = {
        "model_settings": settings(sent, kind=endpoint.kind),
        "model_request_parameters": parameters(sent, model, kind=endpoint.kind),
    }
    seconds = endpoint.timeout or policy.answer
    try:
        async with asyncio.timeout(seconds) as limit, closing_connections():
            messages = conversation(sent, kind=endpoint.kind)
            streams = effect.parameters.get("stream") is not False
            response = await _response(model, messages, request, on_delta, streams)
            reply = read_response(effect, sent, form, response)
            return _at_own_price(reply, response, own_price(endpoint.prices, name))
    except TimeoutError:
        if limit.expired():
            raise ResponseTimeout(seconds) from None
        raise


def _at_own_price(reply: Reply, response: ModelResponse, price: Price | None) -> Reply:
    """The reply with its cost at the connection's own price, if it has one for this model."""
    if price is None:
        return reply
    used = response.usage
    cost = price.cost(used.input_tokens, used.output_tokens, used.cache_read_tokens)
    return replace(reply, usage=replace(reply.usage, cost=cost))


async def _response(
    model: Model[Any],
    messages: list[ModelMessage],
    request: Mapping[str, Any],
    on_delta: OnDelta | None,
    streams: bool,
) -> ModelResponse:
    from pydantic_ai.direct import model_request, model_request_stream
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    if not streams:
        return await model_request(model, messages, **request)
    async with model_request_stream(model, messages, **request) as stream:
        async for event in stream:
            match event:
                case (
                    PartStartEvent(part=TextPart(content=text))
                    | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
                ) if on_delta is not None:
                    await on_delta(text)
        return stream.get()
