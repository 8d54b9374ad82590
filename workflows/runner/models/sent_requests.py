"""The HTTP requests of a model call, recorded as they are sent."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import Any


@dataclass(slots=True, kw_only=True)
class _Request:
    url: str
    content: bytes
    at: float
    seconds: float = 0.0
    status: int = 0
    error: str = ""


class SentRequests:
    """The requests of all attempts at one answer, in order."""

    def __init__(self) -> None:
        self._requests: list[_Request] = []
        self._reported = 0

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Record the requests that are sent in this block."""
        token = _recording.set(self)
        try:
            yield
        finally:
            _recording.reset(token)
            if self.has_unreported:
                last = self._requests[-1]
                last.seconds = max(0.0, time.time() - last.at)

    @property
    def has_unreported(self) -> bool:
        """True if the last attempt sent a request before it failed."""
        return len(self._requests) > self._reported

    def failed(self, why: str) -> None:
        """Record why the last attempt gave no answer, if it sent a request."""
        if self.has_unreported:
            self._requests[-1].error = why
        self._reported = len(self._requests)

    def fields(self) -> tuple[Mapping[str, Any], ...]:
        """The requests as `event_types.SentRequest`."""
        bodies = [b"", *(one.content for one in self._requests)]
        return tuple(
            _fields(one, with_body=one.content != before)
            for one, before in zip(self._requests, bodies, strict=False)
        )

    def add(self, url: str, content: bytes) -> None:
        self._requests.append(_Request(url=url, content=content, at=time.time()))

    def answered(self, status: int) -> None:
        if self._requests:
            self._requests[-1].status = status


_recording: ContextVar[SentRequests | None] = ContextVar("recording", default=None)


def record_request(url: str, content: bytes) -> None:
    """Add a request that is about to be sent. `url` must have no query: it may contain the key."""
    if (sent := _recording.get()) is not None:
        sent.add(url, content)


def record_status(status: int) -> None:
    """Add the status of the answer to the last request."""
    if (sent := _recording.get()) is not None:
        sent.answered(status)


def _fields(request: _Request, *, with_body: bool) -> dict[str, Any]:
    return {
        "url": request.url,
        "at": request.at,
        "seconds": round(request.seconds, 3),
        "hash": sha256(request.content).hexdigest(),
        **({"body": _json(request.content)} if with_body else {}),
        **({"status": request.status} if request.status else {}),
        **({"error": request.error} if request.error else {}),
    }


def _json(content: bytes) -> Any:
    """The body as JSON; as text if it is something else."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content.decode("utf-8", "replace")
