"""Model clients of the provider library, over connections that are shared per event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from workflows.providers.endpoint import Endpoint
from workflows.runner.file_limits import raise_limit
from workflows.runner.models.errors import error_status
from workflows.runner.models.sent_requests import record_request, record_status
from workflows.security import http_client
from workflows.security.egress import host_of

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model

MAX_KEEPALIVE = 100
MAX_MODELS = 100
CONNECT_SECONDS = 10.0
FINGERPRINT_PREFIX = "x-stainless-"
"""Prefix of headers that describe the operating system, the processor, the Python version…"""
TEXT_UNCHANGED: Any = {"thinking_tags": ("\0", "\0")}
"""The library would cut `<think>` out of any text, with its mark only if nothing closes it. Marks
are read by `reasoning`, once and for every provider."""
NO_KEY = "none"
"""Sent to servers that need no key, so that the library takes none from the environment."""

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, ...], _Client]]
_clients = WeakKeyDictionary()
_pending_clients: dict[tuple[int, tuple[str, ...]], asyncio.Future[_Client]] = {}
_responses: ContextVar[list[httpx2.Response]] = ContextVar("responses")


async def model_at(endpoint: Endpoint, name: str) -> Model[Any]:
    """The client for the model `name`. Slow work (imports, certificates) is done off the loop."""
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    address = (endpoint.kind, endpoint.base_url, endpoint.key, *endpoint.private_hosts)
    if address not in clients:
        clients[address] = await _create_once(endpoint, address)
    client = clients[address]
    if name not in client.models:
        if len(client.models) >= MAX_MODELS:
            client.models.clear()
        client.models[name] = _model(endpoint, client.provider, name)
    return client.models[name]


async def _create_once(endpoint: Endpoint, address: tuple[str, ...]) -> _Client:
    """Create one client, even if a thousand runs that start at once ask for it."""
    name = (id(asyncio.get_running_loop()), address)
    pending = _pending_clients.get(name)
    if pending is None:
        pending = asyncio.ensure_future(asyncio.to_thread(_client_for, endpoint))
        _pending_clients[name] = pending
        pending.add_done_callback(lambda _: _pending_clients.pop(name, None))
    return await asyncio.shield(pending)


@asynccontextmanager
async def closing_connections() -> AsyncIterator[None]:
    """Close every response that is received in this block. Not every provider library closes its
    stream when its reader is cancelled, and a model that keeps generating costs money."""
    responses: list[httpx2.Response] = []
    token = _responses.set(responses)
    try:
        yield
    finally:
        _responses.reset(token)
        for response in responses:
            await response.aclose()


async def close_clients() -> None:
    """Close this loop's connections. For loops that end before the process does."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.client.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Client:
    client: httpx2.AsyncClient
    provider: Any
    models: dict[str, Model[Any]] = field(default_factory=dict)


def _model(endpoint: Endpoint, provider: Any, name: str) -> Model[Any]:
    match endpoint.kind:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel

            return AnthropicModel(name, provider=provider)
        case "google":
            from pydantic_ai.models.google import GoogleModel

            return GoogleModel(name, provider=provider)
        case "openai":
            from workflows.runner.models.openai_chat import ChatModel

            return ChatModel(name, provider=provider, profile=TEXT_UNCHANGED)
        case "compatible":
            from pydantic_ai.models.openai import OpenAIChatModel

            return OpenAIChatModel(name, provider=provider, profile=TEXT_UNCHANGED)


def _client_for(endpoint: Endpoint) -> _Client:
    client = _client(endpoint)
    provider = _provider(endpoint, client)
    if endpoint.kind != "google":  # Google's client takes it with each request.
        provider.client.max_retries = 0
    return _Client(client=client, provider=provider)


def _provider(endpoint: Endpoint, client: httpx2.AsyncClient) -> Any:
    key, address = endpoint.key or NO_KEY, endpoint.base_url or None
    match endpoint.kind:
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
                "compatible", api_key=key, base_url=endpoint.base_url, http_client=client
            )


def _client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """An HTTP client without a connection limit, because each waiting run holds one. Redirects are
    not followed, because the key is for this address only. The caller limits the time of an answer.
    The egress rules check the address on every request, unless it is the provider's own."""
    import httpx2

    raise_limit()
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=MAX_KEEPALIVE)
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    hooks: dict[str, list[Any]] = {
        "request": [_redact_request, _record_request],
        "response": [_record_response, _status_of_error],
    }
    if not endpoint.base_url:
        return httpx2.AsyncClient(
            timeout=timeout,
            limits=limits,
            follow_redirects=False,
            event_hooks=hooks,
            verify=http_client.tls_context(),
        )
    host_of(endpoint.base_url)
    return httpx2.AsyncClient(
        timeout=timeout,
        follow_redirects=False,
        event_hooks=hooks,
        transport=http_client.egress_transport(limits=limits, allowed=endpoint.private_hosts),
    )


async def _redact_request(request: httpx2.Request) -> None:
    """Remove headers that describe this machine: they disclose information, and thousands of runs
    keep their request in memory until its answer."""
    for name in [name for name in request.headers if name.startswith(FINGERPRINT_PREFIX)]:
        del request.headers[name]


async def _record_request(request: httpx2.Request) -> None:
    record_request(str(request.url.copy_with(query=None, userinfo=b"")), request.content)


async def _record_response(response: httpx2.Response) -> None:
    record_status(response.status_code)
    if (responses := _responses.get(None)) is not None:
        responses.append(response)


async def _status_of_error(response: httpx2.Response) -> None:
    """Give an answer that only contains an error the status of that error. Some gateways send 200
    before they know."""
    if response.status_code != 200 or "json" not in response.headers.get("content-type", ""):
        return
    await response.aread()
    try:
        body = response.json()
    except ValueError:
        return
    if isinstance(body, dict) and (status := error_status(body)) is not None:
        response.status_code = status
