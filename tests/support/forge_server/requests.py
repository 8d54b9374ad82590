"""Requests to the forge and its answers, as values."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CREDENTIAL_HEADERS = ("authorization", "private-token")
"""Headers that may carry a token."""


@dataclass(kw_only=True)
class ForgeRequest:
    """One request. Names of headers are in lower case; `status` is that of the answer."""

    method: str
    path: str
    """Still quoted: a slash inside of a segment is `%2F`."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    status: int = 0

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def basic(self) -> tuple[str, str] | None:
        """User and password, if it has them."""
        scheme, _, value = self.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "basic":
            return None
        user, _, password = b64decode(value).decode().partition(":")
        return user, password

    def contains(self, secret: str) -> bool:
        """True if a secret is anywhere but in a header for it."""
        others = {
            name: value for name, value in self.headers.items() if name not in CREDENTIAL_HEADERS
        }
        text = repr((self.path, self.query, others)) + self.body.decode("latin-1")
        return secret in text or b64encode(secret.encode()).decode().rstrip("=") in text


@dataclass(frozen=True, kw_only=True)
class ApiAnswer:
    """An answer. `delay` is in seconds; bytes as `body` are sent as they are."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0

    @property
    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Refusal(Exception):
    """A request that the forge refuses."""

    def __init__(self, status: int, body: Any, **headers: str) -> None:
        super().__init__(status, body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answer = ApiAnswer(status=status, body=body, headers=named)
