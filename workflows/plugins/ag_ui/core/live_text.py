"""Answers of models while they are written. Their pieces are not in the log, so the place in a
stream includes the number of characters that the client has of each, and a checksum of them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from workflows.plugins.ag_ui.core.shared_state import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveText:
    """An answer of which the client has a part. `attempt`: counts the messages for the same effect,
    because a repeated model call begins a new message. `sent`: number of characters, None between
    two messages. `begun`: distinguishes attempts; None after a lost connection."""

    attempt: int = 0
    sent: int | None = None
    check: int = 0
    begun: float | None = None

    def with_text(self, text: str) -> LiveText:
        check = zlib.crc32(text.encode("utf-8", "surrogatepass"), self.check)
        return replace(self, sent=(self.sent or 0) + len(text), check=check)

    def begins(self, text: str) -> bool:
        """Return True if the client has the beginning of this text."""
        start = LiveText(sent=0).with_text(text[: self.sent or 0])
        return len(text) >= (self.sent or 0) and start.check == self.check


def message_id(run: str, key: str, live: LiveText | None) -> str:
    attempt = live.attempt if live else 0
    return f"{run}:{key}:{attempt}" if attempt else f"{run}:{key}"


def started(id: str, state: str) -> Json:
    return {"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant", "name": state}


def content(id: str, text: str) -> Json:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text}


def ended(id: str) -> Json:
    return {"type": "TEXT_MESSAGE_END", "messageId": id}


def rest_of_message(
    run: str, key: str, state: str, live: LiveText | None, text: str, *, is_json: bool
) -> list[Json]:
    """The events that complete the message for an answer. A client with another beginning gets a
    new message; `is_json`: only its form may differ, so the message ends as it is."""
    id = message_id(run, key, live)
    if live is None or live.sent is None:
        return [started(id, state), content(id, text), ended(id)] if text else []
    if live.begins(text):
        rest = text[live.sent :]
        return [*([content(id, rest)] if rest else []), ended(id)]
    if is_json or not text:
        return [ended(id)]
    following = message_id(run, key, replace(live, attempt=live.attempt + 1))
    return [ended(id), started(following, state), content(following, text), ended(following)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of an answer: `at` characters are before it."""

    key: str
    begun: float
    at: int
    text: str


def next_texts(
    known: LiveText | None, piece: Piece, *, run: str, state: str
) -> list[tuple[Json, LiveText]]:
    """The events for a piece, each with what the client has after it; none if the client has it,
    or lacks something before it, which the complete answer brings."""
    found: list[tuple[Json, LiveText]] = []
    live = known or LiveText()
    if live.sent is not None and _is_other(live, piece):
        if live.begun is not None and piece.begun < live.begun:
            return []
        after = LiveText(attempt=live.attempt + 1)
        found.append((ended(message_id(run, piece.key, live)), after))
        live = after
    if live.sent is None:
        if piece.at:
            return found
        live = replace(live, sent=0)
        found.append((started(message_id(run, piece.key, live), state), live))
    live = replace(live, begun=piece.begun)
    new = piece.text[(live.sent or 0) - piece.at :] if piece.at <= (live.sent or 0) else ""
    if new:
        live = live.with_text(new)
        found.append((content(message_id(run, piece.key, live), new), live))
    return found


def _is_other(live: LiveText, piece: Piece) -> bool:
    """Return True if the piece belongs to another attempt than the client's text."""
    if live.begun is not None:
        return piece.begun != live.begun
    return piece.at == 0 and len(piece.text) >= (live.sent or 0) and not live.begins(piece.text)


Live = Mapping[str, LiveText]
