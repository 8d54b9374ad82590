"""What a test has the server answer, one per request."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, kw_only=True)
class TextReply:
    """A whole answer. `structured` goes where the request wants it: as text, or as the call of the
    tool that takes the answer."""

    text: str = ""
    tool_calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    structured: Any = None
    tokens: tuple[int, int] = (11, 7)
    stop: str = ""
    """Why it ended, in the protocol's own word; "" for the one that fits."""


@dataclass(frozen=True, kw_only=True)
class ErrorReply:
    """An error with this status."""

    status: int
    retry_after: str = ""
    message: str = "Something went wrong."
    kind: str = "api_error"


@dataclass(frozen=True, kw_only=True)
class CutOffReply:
    """Begins to answer and breaks the connection off after so many pieces. `politely`: the stream
    ends as HTTP has it, and only the protocol's own end is missing."""

    says: TextReply
    pieces: int = 2
    politely: bool = False


@dataclass(frozen=True, kw_only=True)
class NoReply:
    """Sends so many pieces of an answer, then nothing more until the caller hangs up."""

    says: TextReply = TextReply(text="Never ready.")
    pieces: int = 0


@dataclass(frozen=True, kw_only=True)
class HeldReply:
    """Sends so many pieces of an answer, and the rest when the test lets it go."""

    says: TextReply
    pieces: int
    until: threading.Event


@dataclass(frozen=True, kw_only=True)
class RawReply:
    """These bytes with status 200, whatever they are."""

    body: bytes
    type: str = "application/json"


Answer: TypeAlias = TextReply | ErrorReply | CutOffReply | NoReply | HeldReply | RawReply
