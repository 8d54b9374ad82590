"""Requests to the API of a forge, and its refusals in plain words and without secrets."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from workflows.errors import RepositoryRefused
from workflows.repos.forges.base import ForgeLogin, PullRequest, mapping
from workflows.security import http_client
from workflows.security.egress import PrivateAddress, host_of

if TYPE_CHECKING:
    import httpx2

TIMEOUT = 20.0
"""Seconds without progress."""
MAX_DURATION = 60.0
"""Seconds for one request and its answer."""
MAX_ANSWER = 8 * 1024 * 1024
"""Bytes of an answer."""
MAX_PAGES = 40
MAX_REASON = 300
NO_RIGHT = 403
TOO_MANY = 429
CONFLICTS = (409, 422)
"""Statuses of the refusal of a second pull request."""


class ForgeRefused(RepositoryRefused):
    """The forge refused the request."""

    def __init__(self, message: str, *, hint: str = "", answered: int = 0) -> None:
        super().__init__(message, hint=hint, where="repository")
        self.answered = answered
        """The status of its answer, 0 if it did not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """The API of one forge, for one project. `rights`: the next step of a user whose token may not
    do something."""

    label: str
    login: ForgeLogin
    project: str
    scheme: str
    """The word before the token in its header."""
    rights: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return urlsplit(self.login.api_url).hostname or self.label

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """The decoded answer. `path` begins with a slash. Raises ForgeRefused."""
        return self._send("GET", path, query or {}, None)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The decoded answer. Raises ForgeRefused."""
        return self._send("POST", path, {}, body)

    def rows(self, path: str, query: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
        """The entries of a list, page by page until an empty one. Raises ForgeRefused."""
        for number in range(1, MAX_PAGES + 1):
            page = self.get(path, {**query, "page": str(number)})
            if not isinstance(page, list):
                raise self._not_an_api()
            if not page:
                return
            yield from map(mapping, page)

    def _send(
        self, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any] | None
    ) -> Any:
        import httpx2

        self._check_address()
        address = httpx2.URL(self.login.api_url.rstrip("/") + path, params=dict(query))
        try:
            status, headers, data = asyncio.run(self._exchange(method, address, body))
        except PrivateAddress as refused:
            raise ForgeRefused(str(refused)) from None
        except (httpx2.TimeoutException, TimeoutError):
            raise ForgeRefused(
                f"{self.host} did not answer within the time limit.", hint="Try again later."
            ) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as problem:
            reason = self._clean(str(problem)) or type(problem).__name__
            raise ForgeRefused(
                f"{self.host} does not answer: {reason}.",
                hint="Try again later, or check the address of the API.",
            ) from None
        if 200 <= status < 300:
            try:
                return json.loads(data)
            except ValueError:
                raise self._not_an_api(status) from None
        raise self._refusal(status, headers, data)

    async def _exchange(
        self, method: str, address: httpx2.URL, body: Mapping[str, Any] | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        sent = {"accept-encoding": "identity", "user-agent": "Signalbox", **self.headers}
        if self.login.token:
            sent["authorization"] = f"{self.scheme} {self.login.token}"
        content = None
        if body is not None:
            sent["content-type"] = "application/json"
            content = json.dumps(body).encode()
        async with (
            asyncio.timeout(MAX_DURATION),
            http_client.client(
                timeout=TIMEOUT, allowed=self.login.private_hosts, headers=sent
            ) as client,
            client.stream(method, address, content=content) as answer,
        ):
            data = bytearray()
            async for part in answer.aiter_raw():
                data += part
                if len(data) > MAX_ANSWER:
                    raise ForgeRefused(f"An answer of {self.host} is over {MAX_ANSWER:,} bytes.")
            return answer.status_code, answer.headers, bytes(data)

    def _check_address(self) -> None:
        try:
            host = host_of(self.login.api_url)
        except ValueError as problem:
            raise ForgeRefused(str(problem), hint="Enter the address of the API.") from None
        known = {name.lower() for name in self.login.private_hosts}
        plain = self.login.api_url.lower().startswith("http:")
        if plain and self.login.token and host.lower() not in known:
            raise ForgeRefused(
                "A token is not sent over http, because others could read it.",
                hint="Use an address of the API that begins with https://.",
            )

    def _refusal(self, status: int, headers: Mapping[str, str], data: bytes) -> ForgeRefused:
        reason = self._clean(reason_of(data)) or "no reason given"
        if 300 <= status < 400:
            return ForgeRefused(
                f"{self.host} redirects to another address, and a token is not sent there.",
                hint="Enter the present address of the project and of the API.",
                answered=status,
            )
        if status == 401 and not self.login.token:
            return ForgeRefused(f"{self.host} requires a token.", hint=self.rights, answered=status)
        if status == 401:
            return ForgeRefused(
                f"{self.host} refused the token.",
                hint=f"It may have ended. {self.rights}",
                answered=status,
            )
        if status == TOO_MANY or (status == NO_RIGHT and _is_rate_limit(headers, reason)):
            return ForgeRefused(
                f"{self.host} accepts no more requests of this token for now.",
                hint=f"Try again in {_wait(headers)}.",
                answered=status,
            )
        if status == NO_RIGHT:
            return ForgeRefused(
                f"{self.host} does not allow this token to do that: {reason}.",
                hint=self.rights,
                answered=status,
            )
        if status == 404:
            return ForgeRefused(
                f"{self.host} finds no project {self.project} with this branch or pull request, or "
                "the token may not see it.",
                hint=f"Check the address of the repository and of the API. {self.rights}",
                answered=status,
            )
        if status >= 500:
            return ForgeRefused(
                f"{self.host} does not work at the moment (status {status}).",
                hint="Try again later.",
                answered=status,
            )
        return ForgeRefused(
            f"{self.host} refused the request: {reason}.",
            hint="Change what it names, then try again.",
            answered=status,
        )

    def _not_an_api(self, status: int = 200) -> ForgeRefused:
        return ForgeRefused(
            f"{self.host} does not answer as the API of {self.label}.",
            hint="Choose the right kind of forge, or enter the address of its API.",
            answered=status,
        )

    def _clean(self, text: str) -> str:
        """One short line without the token, which some servers repeat."""
        if self.login.token:
            text = text.replace(self.login.token, "…")
        line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
        return line[:MAX_REASON].rstrip(".: ")


def open_once(
    find: Callable[[], PullRequest | None], create: Callable[[], PullRequest]
) -> PullRequest:
    """The pull request that `find` returns, or else a created one. Another program may create it
    at the same time: then the forge refuses a second one, and the first is found."""
    existing = find()
    if existing is not None:
        return existing
    try:
        return create()
    except ForgeRefused as refused:
        existing = find() if refused.answered in CONFLICTS else None
        if existing is None:
            raise
        return existing


def reason_of(data: bytes) -> str:
    """The reason in the body of a refusal. The forges spell it in several ways: a text, a list, an
    object of lists, a list of objects."""
    try:
        body = mapping(json.loads(data))
    except ValueError:
        return ""
    parts: list[str] = []
    for key in ("message", "error", "error_description", "errors"):
        parts += _texts(body.get(key))
    if len(parts) > 1 and parts[0] in ("Validation Failed", "invalid_request"):
        parts = parts[1:]
    return "; ".join(dict.fromkeys(part.strip().rstrip(".") for part in parts))


def _texts(value: object) -> list[str]:
    match value:
        case str() if value.strip():
            return [value]
        case list():
            return [text for one in value for text in _texts(one)]
        case {"message": str(message)} if message:
            return [message]
        case {"field": str(name), "code": str(code)}:
            return [f"{name} is {code}"]
        case dict():
            return [f"{name}: {text}" for name, one in value.items() for text in _texts(one)]
    return []


def _is_rate_limit(headers: Mapping[str, str], reason: str) -> bool:
    used_up = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    return used_up or "rate limit" in reason.lower()


def _wait(headers: Mapping[str, str]) -> str:
    """The time until the next request, as the forge names it."""
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    seconds = 60.0
    if after.isascii() and after.isdigit() and len(after) < 8:
        seconds = float(after)
    elif reset.isascii() and reset.isdigit() and len(reset) < 12:
        seconds = float(reset) - time.time()
    minutes = max(1, round(seconds / 60))
    return "a minute" if minutes == 1 else f"{minutes} minutes"
