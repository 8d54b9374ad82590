"""The exception of a pattern that cannot be used."""

from __future__ import annotations

from typing import Literal, TypeAlias

from workflows.core.pack.findings import one_line

MAX_PATTERN = 2_000
"""Maximum number of characters of a pattern."""
MAX_SHOWN = 80
"""Characters of a pattern that a message quotes."""

Reason: TypeAlias = Literal["invalid", "unsupported", "too large", "too slow"]


class PatternError(ValueError):
    """A pattern cannot be compiled, or not be matched within the limits.

    `message` is a clause without the pattern: "uses look-ahead, which RE2 does not support".
    """

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def quoted(pattern: str) -> str:
    """The start of a pattern, for messages."""
    text = one_line(pattern)
    return repr(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")


def check_length(pattern: str) -> None:
    """Raise PatternError if a pattern is longer than MAX_PATTERN."""
    if len(pattern) > MAX_PATTERN:
        raise PatternError("too large", f"is longer than {MAX_PATTERN:,} characters")
