"""Patterns in RE2's syntax, which Go shares: matched in linear time, with a memory limit.

The syntax has no look-around and no backreferences. A counted repeat expands to at most 1,000
copies of its operand, as in Go: https://github.com/google/re2/wiki/Syntax
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from workflows.core.patterns.problems import PatternError, check_length

MAX_MEMORY = 512 << 10
"""Bytes of one compiled pattern with its automaton. The library keeps the last 128."""
MAX_STEPS = 200_000_000
"""Instructions of a pattern × bytes of a text: about a second in the worst case."""

_LOOK_AROUND = {
    "(?=": "look-ahead",
    "(?!": "look-ahead",
    "(?<=": "look-behind",
    "(?<!": "look-behind",
}
_INVALID_REPEAT = "invalid repetition size"
_TOO_LARGE = "pattern too large"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearPattern:
    """A compiled pattern."""

    compiled: Any

    def search(self, text: str) -> bool:
        """True if the pattern matches somewhere. Raises PatternError for a too long text."""
        return self.compiled.search(self._encoded(text)) is not None

    def fullmatch(self, text: str) -> bool:
        """True if the pattern matches the whole text. Raises PatternError for a too long text."""
        return self.compiled.fullmatch(self._encoded(text)) is not None

    def _encoded(self, text: str) -> bytes:
        data = text.encode("utf-8", "replace")
        if len(data) * self.compiled.programsize > MAX_STEPS:
            raise PatternError("too slow", f"is too costly for a text of {len(data):,} bytes")
        return data


def compile_linear(pattern: str) -> LinearPattern:
    """Compile a pattern. Raises PatternError."""
    check_length(pattern)
    result = _compiled(_encoded(pattern))
    if isinstance(result, PatternError):
        raise PatternError(result.reason, result.message)
    return result


@lru_cache(maxsize=64)
def _compiled(data: bytes) -> LinearPattern | PatternError:
    """Cached with its problem, because refusing a large pattern takes milliseconds."""
    try:
        return LinearPattern(compiled=re2.compile(data, _options()))  # type: ignore[no-untyped-call]
    except re2.error as error:
        return _problem(error)


def search(pattern: str, text: str) -> bool:
    """True if a pattern matches somewhere in a text. Raises PatternError."""
    return compile_linear(pattern).search(text)


def escaped(text: str) -> str:
    """A pattern that matches exactly this text. Raises PatternError for a lone surrogate."""
    _encoded(text)
    return str(re2.escape(text))  # type: ignore[no-untyped-call]


def _encoded(pattern: str) -> bytes:
    try:
        return pattern.encode("utf-8")
    except UnicodeEncodeError:
        raise PatternError("invalid", "contains a lone surrogate") from None


def _options() -> Any:
    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.never_capture = True
    options.log_errors = False
    return options


def _problem(error: Exception) -> PatternError:
    detail = error.args[0] if error.args else ""
    text = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
    what, _, piece = text.partition(": ")
    if what == "invalid perl operator" and piece in _LOOK_AROUND:
        return PatternError(
            "unsupported", f"uses {_LOOK_AROUND[piece]}, which RE2 does not support"
        )
    if what == "invalid escape sequence" and piece[1:2].isdigit() and piece[1:2] != "0":
        return _unsupported("a backreference")
    if what in ("invalid perl operator", "invalid escape sequence"):
        return _unsupported(repr(piece))
    if what == _INVALID_REPEAT:
        return _repeat_problem(piece)
    if text.startswith(_TOO_LARGE):
        return PatternError("too large", "is too large when its repeats are expanded")
    return PatternError("invalid", f"is not a regular expression: {text[:200]}")


def _unsupported(what: str) -> PatternError:
    return PatternError("unsupported", f"uses {what}, which RE2 does not support")


def _repeat_problem(repeat: str) -> PatternError:
    low, comma, high = repeat.strip("{}?").partition(",")
    if comma and high and int(high) < int(low):
        return PatternError("invalid", f"has the repeat {repeat!r} with its limits reversed")
    return PatternError("too large", f"makes more than 1,000 copies at {repeat!r}")
