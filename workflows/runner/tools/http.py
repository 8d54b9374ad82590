"""The tool kind that sends an HTTP request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from workflows.runner.planning_mode import ONLY_READS
from workflows.runner.tools.base import Context, ToolFailed, text_argument
from workflows.security import http_client
from workflows.security.egress import PrivateAddress

if TYPE_CHECKING:
    import httpx2

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
READ_METHODS = ("GET", "HEAD")
MAX_REDIRECTS = 5
MAX_RESPONSE = 1024 * 1024
"""Bytes of a response."""
MAX_REQUEST = 1024 * 1024
RESERVED_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "accept-encoding"}
)
"""Headers that a call cannot set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """One request. `headers` are sent to its own host only."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""


class Http:
    """Settings: `url` and `method`; the arguments are then the query (GET) or the JSON body.
    Without `url` the call supplies `url`, `method`, `headers` and `body`. Secrets are sent as
    headers."""

    name = "http"
    label = "HTTP request"
    touches = "Public web addresses, and private addresses listed in SIGNALBOX_PRIVATE_HOSTS."
    settings: Mapping[str, Any] = {
        "url": {
            "type": "string",
            "title": "URL",
            "description": "Receives the arguments of the call. If empty, the call supplies it.",
        },
        "method": {"enum": list(METHODS), "description": "Default: POST."},
    }
    required: tuple[str, ...] = ()

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        if "url" not in settings:
            return "Secrets require a `url`." if secrets else ""
        return web_problem(settings["url"])

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return False

    async def check_rights(self, arguments: Mapping[str, Any], context: Context) -> None:
        request = build_request(arguments, context)
        if context.planning and request.method not in READ_METHODS:
            raise ToolFailed(f"{request.method} was not sent. {ONLY_READS}")

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        import httpx2

        await self.check_rights(arguments, context)
        request = build_request(arguments, context)
        try:
            async with http_client.client(
                timeout=context.timeout, allowed=context.private_hosts, headers={}
            ) as client:
                return await _send(client, request)
        except PrivateAddress as error:
            raise ToolFailed(str(error)) from None
        except httpx2.TimeoutException:
            raise ToolFailed(
                f"{_host(request.url)} did not answer within the time limit."
            ) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise ToolFailed(f"The request to {_host(request.url)} failed: {error}") from None


def web_problem(url: str) -> str:
    """The reason why this is not a web address, or ""."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return f"{url[:80]!r} is not a web address."
    if parts.scheme not in ("http", "https") or not host:
        return f"{url[:80]!r} must begin with https:// or http://."
    return "A URL must not contain a user or password." if parts.username or parts.password else ""


def build_request(arguments: Mapping[str, Any], context: Context) -> ToolRequest:
    """The request of this call. Raises ToolFailed."""
    fixed = context.settings.get("url")
    url = fixed or text_argument(arguments, "url")
    problem = web_problem(url)
    if problem:
        raise ToolFailed(problem)
    method = context.settings.get("method") or ""
    if fixed:
        request = _of_binding(url, method or "POST", arguments)
    else:
        method = method or text_argument(arguments, "method", default="GET").upper()
        request = _of_call(url, method, arguments)
    if request.method not in METHODS:
        raise ToolFailed(f"The method {request.method[:20]!r} is not supported.")
    if len(request.body) > MAX_REQUEST:
        raise ToolFailed(f"The request is over {MAX_REQUEST:,} bytes.")
    ours = {"accept-encoding": "identity", **context.secrets}
    if request.method not in READ_METHODS:
        ours["idempotency-key"] = context.key
    return replace(request, headers={**request.headers, **ours})


def _of_binding(url: str, method: str, arguments: Mapping[str, Any]) -> ToolRequest:
    if method in READ_METHODS:
        import httpx2

        query = {name: v if isinstance(v, str) else json.dumps(v) for name, v in arguments.items()}
        url = str(httpx2.URL(url).copy_merge_params(query)) if query else url
        return ToolRequest(method=method, url=url, headers={})
    body = json.dumps(dict(arguments), ensure_ascii=False).encode("utf-8", "replace")
    return ToolRequest(
        method=method, url=url, headers={"content-type": "application/json"}, body=body
    )


def _of_call(url: str, method: str, arguments: Mapping[str, Any]) -> ToolRequest:
    values = arguments.get("headers") or {}
    if not isinstance(values, Mapping):
        raise ToolFailed("`headers` must be an object of texts.")
    headers = {str(name).lower(): str(value) for name, value in values.items()}
    allowed = {name: value for name, value in headers.items() if name not in RESERVED_HEADERS}
    body = text_argument(arguments, "body", default="").encode("utf-8", "replace")
    return ToolRequest(method=method, url=url, headers=allowed, body=body)


async def _send(client: httpx2.AsyncClient, request: ToolRequest) -> str:
    """The response after at most MAX_REDIRECTS redirects. Another host gets none of our headers."""
    for _ in range(MAX_REDIRECTS + 1):
        message = client.build_request(
            request.method, request.url, headers=dict(request.headers), content=request.body or None
        )
        response = await client.send(message, stream=True)
        try:
            if not response.is_redirect:
                return await _read_response(response, request)
            status, target = (
                response.status_code,
                urljoin(request.url, response.headers["location"]),
            )
        finally:
            await response.aclose()
        request = _redirected(request, status, target)
    raise ToolFailed(f"The URL redirects more than {MAX_REDIRECTS} times.")


def _redirected(request: ToolRequest, status: int, target: str) -> ToolRequest:
    problem = web_problem(target)
    if problem:
        raise ToolFailed(f"The redirect is invalid: {problem}")
    same = _origin(target) == _origin(request.url)
    headers = request.headers if same else {"accept-encoding": "identity"}
    if status in (307, 308) and (same or not request.body):
        return replace(request, url=target, headers=headers)
    if status in (307, 308):
        raise ToolFailed(
            f"The redirect to {_host(target)} was not followed: it would send the body there."
        )
    method = "HEAD" if request.method == "HEAD" else "GET"
    return ToolRequest(method=method, url=target, headers=headers)


async def _read_response(response: httpx2.Response, request: ToolRequest) -> str:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ToolFailed(f"{_host(request.url)} sent an unexpected content encoding.")
    data = bytearray()
    async for part in response.aiter_raw():
        data += part
        if len(data) > MAX_RESPONSE:
            raise ToolFailed(
                f"The response of {_host(request.url)} is over {MAX_RESPONSE:,} bytes."
            )
    text = data.decode("utf-8", "replace")
    if response.status_code >= 400:
        raise ToolFailed(f"{_host(request.url)} returned {response.status_code}: {text[:2_000]}")
    return text


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


TOOL = Http()
