"""The way to a model: the library's object for it, over connections that are shared per loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from workflows.models.endpoint import Endpoint
from workflows.runner.file_limits import raise_limit
from workflows.security import http_client
from workflows.security.egress import host_of

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model

KEPT_ALIVE = 100
KEPT_MODELS = 100
CONNECT_SECONDS = 10.0
TELLTALE = "x-stainless-"
"""How headers begin that name the operating system, the processor, the version of Python…"""
NO_KEY = "none"
"""Sent to servers that want no key, so that nobody's key from the environment is."""

_kept: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, ...], _Client]]
_kept = WeakKeyDictionary()
_making: dict[tuple[int, tuple[str, ...]], asyncio.Future[_Client]] = {}
_answers: ContextVar[list[httpx2.Response]] = ContextVar("answers")


async def model_at(reach: Endpoint, name: str) -> Model[Any]:
    """The model of this name. Slow work (imports, certificates) is done off the loop."""
    kept = _kept.setdefault(asyncio.get_running_loop(), {})
    address = (reach.kind, reach.base_url, reach.key, *reach.private_hosts)
    if address not in kept:
        kept[address] = await _made_once(reach, address)
    way = kept[address]
    if name not in way.models:
        if len(way.models) >= KEPT_MODELS:
            way.models.clear()
        way.models[name] = _model(reach, way.provider, name)
    return way.models[name]


async def _made_once(reach: Endpoint, address: tuple[str, ...]) -> _Client:
    """A thousand runs that begin at once wait for one client, and do not make a thousand."""
    name = (id(asyncio.get_running_loop()), address)
    making = _making.get(name)
    if making is None:
        making = _making[name] = asyncio.ensure_future(asyncio.to_thread(_client_for, reach))
        making.add_done_callback(lambda _: _making.pop(name, None))
    return await asyncio.shield(making)


@asynccontextmanager
async def closing_connections() -> AsyncIterator[None]:
    """Leaves no answer that began inside open. Not every provider's library closes what it reads
    from when its reader is cancelled between two pieces, and a model that goes on costs money."""
    answers: list[httpx2.Response] = []
    before = _answers.set(answers)
    try:
        yield
    finally:
        _answers.reset(before)
        for answer in answers:
            await answer.aclose()


async def close_clients() -> None:
    """Close the connections that this loop holds. For loops that end before the process does."""
    for way in _kept.pop(asyncio.get_running_loop(), {}).values():
        await way.client.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Client:
    client: httpx2.AsyncClient
    provider: Any
    models: dict[str, Model[Any]] = field(default_factory=dict)


def _model(reach: Endpoint, provider: Any, name: str) -> Model[Any]:
    match reach.kind:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel

            return AnthropicModel(name, provider=provider)
        case "google":
            from pydantic_ai.models.google import GoogleModel

            return GoogleModel(name, provider=provider)
        case "openai" | "compatible":
            from pydantic_ai.models.openai import OpenAIChatModel

            return OpenAIChatModel(name, provider=provider)


def _client_for(reach: Endpoint) -> _Client:
    client = _client(reach)
    provider = _provider(reach, client)
    if reach.kind != "google":  # there it is told with every question
        provider.client.max_retries = 0
    return _Client(client=client, provider=provider)


def _provider(reach: Endpoint, client: httpx2.AsyncClient) -> Any:
    key, address = reach.key or NO_KEY, reach.base_url or None
    match reach.kind:
        case "anthropic":
            import pydantic_ai.models.anthropic
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicProvider(api_key=key, base_url=address, http_client=client)
        case "google":
            import pydantic_ai.models.google
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleProvider(api_key=key, base_url=address, http_client=client)
        case "openai":
            import pydantic_ai.models.openai
            from pydantic_ai.providers.openai import OpenAIProvider

            return OpenAIProvider(api_key=key, base_url=address, http_client=client)
        case "compatible":
            import pydantic_ai.models.openai  # noqa: F401
            from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

            return OpenAICompatibleProvider(
                "compatible", api_key=key, base_url=reach.base_url, http_client=client
            )


def _client(reach: Endpoint) -> httpx2.AsyncClient:
    """As many connections as there are runs that wait; redirects are not followed, since the key
    is for this address. How long an answer may take is for whoever asks. An address of somebody's
    choice is looked at each time it is called."""
    import httpx2

    raise_limit()
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=KEPT_ALIVE)
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    hooks: dict[str, list[Any]] = {"request": [_redact_request], "response": [_noted]}
    if not reach.base_url:
        return httpx2.AsyncClient(
            timeout=timeout,
            limits=limits,
            follow_redirects=False,
            event_hooks=hooks,
            verify=http_client.certificates(),
        )
    host_of(reach.base_url)
    return httpx2.AsyncClient(
        timeout=timeout,
        follow_redirects=False,
        event_hooks=hooks,
        transport=http_client.egress_transport(limits=limits, allowed=reach.private_hosts),
    )


async def _redact_request(request: httpx2.Request) -> None:
    """Without what the providers' libraries tell about this machine: nobody asked for it, and a
    request is kept as long as its answer takes, by thousands of runs."""
    for name in [name for name in request.headers if name.startswith(TELLTALE)]:
        del request.headers[name]


async def _noted(answer: httpx2.Response) -> None:
    if (answers := _answers.get(None)) is not None:
        answers.append(answer)
