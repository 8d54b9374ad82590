"""Scripted answers of the model server, one per request."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, kw_only=True)
class TextReply:
    """A complete answer. `structured` is sent as the request wants it: as text, or as a call of the
    tool that accepts the answer."""

    text: str = ""
    tool_calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    structured: Any = None
    tokens: tuple[int, int] = (11, 7)
    stop: str = ""
    """Finish reason in the protocol's terms; "" for the matching one."""


@dataclass(frozen=True, kw_only=True)
class ErrorReply:
    """An error with this status."""

    status: int
    retry_after: str = ""
    message: str = "Something went wrong."
    kind: str = "api_error"


@dataclass(frozen=True, kw_only=True)
class CutOffReply:
    """Starts an answer and closes the connection after `pieces` pieces. `politely`: the HTTP stream
    ends correctly, and only the end of the protocol is missing."""

    says: TextReply
    pieces: int = 2
    politely: bool = False


@dataclass(frozen=True, kw_only=True)
class NoReply:
    """Sends `pieces` pieces of an answer, then nothing until the caller disconnects."""

    says: TextReply = TextReply(text="Never ready.")
    pieces: int = 0


@dataclass(frozen=True, kw_only=True)
class HeldReply:
    """Sends `pieces` pieces of an answer, and the rest when the test releases it."""

    says: TextReply
    pieces: int
    until: threading.Event


@dataclass(frozen=True, kw_only=True)
class RawReply:
    """Any bytes with status 200."""

    body: bytes
    type: str = "application/json"


Answer: TypeAlias = TextReply | ErrorReply | CutOffReply | NoReply | HeldReply | RawReply
