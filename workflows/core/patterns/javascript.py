"""Patterns in JavaScript's syntax, matched by QuickJS with limits of time and memory.

Every call has an interpreter of its own, which holds nothing but this pattern and this text.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from workflows.core.patterns.problems import PatternError, check_length

MAX_MEMORY = 32 << 20
"""Bytes of one interpreter."""
MAX_STACK = 256 << 10
MAX_SECONDS = 0.1
"""Processor time of one match."""
MAX_TEXT = 2_000_000
"""Characters of a text."""
CACHED_TEXT = 2_000
"""Results for texts up to this length are cached: rehearsals repeat them."""
MAX_SLOW = 3
"""Matches of one pattern that may take too long; then it is not tried again."""

_COMPILE = "(pattern, flags) => { new RegExp(JSON.parse(pattern), flags) }"
_TEST = "(pattern, flags, text) => new RegExp(JSON.parse(pattern), flags).test(JSON.parse(text))"
_INTERRUPTED = "interrupted"
_OUT_OF_MEMORY = "out of memory"


def search(pattern: str, text: str, *, flags: str = "", seconds: float = MAX_SECONDS) -> bool:
    """True if `new RegExp(pattern, flags)` matches somewhere in a text. Raises PatternError."""
    check_length(pattern)
    if len(text) > MAX_TEXT:
        raise PatternError("too slow", f"is not matched in texts over {MAX_TEXT:,} characters")
    if _slow(pattern, flags).times >= MAX_SLOW:
        raise PatternError("too slow", f"took too long {MAX_SLOW} times")
    result = (_cached if len(text) <= CACHED_TEXT else _result)(pattern, flags, text, seconds)
    if isinstance(result, PatternError):
        raise PatternError(result.reason, result.message)
    return result


def check_pattern(pattern: str, *, flags: str = "") -> None:
    """Raise PatternError for a pattern that JavaScript does not accept."""
    check_length(pattern)
    problem = _compile_problem(pattern, flags)
    if problem is not None:
        raise PatternError(problem.reason, problem.message)


class EngineError(Exception):
    """JavaScript that threw, or reached a limit of time, memory or stack."""


def call(function: str, *texts: str, seconds: float, memory: int, stack: int) -> Any:
    """The result of a JavaScript function of ours for these texts, in an interpreter of its own
    without access to anything. Texts are passed as JSON. Raises EngineError."""
    context = _engine().Context()
    context.set_memory_limit(memory)
    context.set_max_stack_size(stack)
    context.set_time_limit(seconds)
    try:
        return context.eval(function)(*map(json.dumps, texts))
    except _engine().JSException as error:
        raise EngineError(str(error)) from error


class Session:
    """A JavaScript function in an interpreter of its own that keeps running. `seconds` limits each
    call and each pending job. Every method raises EngineError."""

    def __init__(self, function: str, *texts: str, seconds: float, memory: int, stack: int) -> None:
        self._context = _engine().Context()
        self._context.set_memory_limit(memory)
        self._context.set_max_stack_size(stack)
        self._context.set_time_limit(seconds)
        self._function = self._limited(lambda: self._context.eval(function)(*texts))

    def call(self, text: str) -> str:
        """The function's answer to a text."""
        return str(self._limited(lambda: self._function(text)))

    def job(self) -> bool:
        """Do one pending job. False if there is none."""
        return bool(self._limited(self._context.execute_pending_job))

    def _limited(self, step: Callable[[], Any]) -> Any:
        try:
            return step()
        except _engine().JSException as error:
            message = str(error).partition("\n")[0]
            stopped = _INTERRUPTED in message
            raise EngineError("The script takes too long." if stopped else message) from error


@dataclass(slots=True)
class _Slow:
    """The number of matches of a pattern that took too long."""

    times: int = 0


@lru_cache(maxsize=512)
def _slow(pattern: str, flags: str) -> _Slow:
    return _Slow()


@lru_cache(maxsize=512)
def _compile_problem(pattern: str, flags: str) -> PatternError | None:
    try:
        _context(MAX_SECONDS).eval(_COMPILE)(json.dumps(pattern), flags)
    except _engine().JSException as error:
        return _problem(str(error).partition("\n")[0], MAX_SECONDS)
    return None


def _result(pattern: str, flags: str, text: str, seconds: float) -> bool | PatternError:
    context = _context(seconds)
    try:
        # JSON keeps NUL and lone surrogates, which the binding's strings cannot hold.
        return bool(context.eval(_TEST)(json.dumps(pattern), flags, json.dumps(text)))
    except _engine().JSException as error:
        problem = _problem(str(error).partition("\n")[0], seconds)
    if problem.reason == "too slow":
        _slow(pattern, flags).times += 1
    return problem


@cache
def _engine() -> Any:
    """The library, imported late: its import starts a thread, and servers fork before they need
    it."""
    import quickjs

    return quickjs


def _context(seconds: float) -> Any:
    context = _engine().Context()
    context.set_memory_limit(MAX_MEMORY)
    context.set_max_stack_size(MAX_STACK)
    context.set_time_limit(seconds)
    return context


_cached = lru_cache(maxsize=512)(_result)


def _problem(message: str, seconds: float) -> PatternError:
    detail = message.partition(": ")[2]
    if _INTERRUPTED in detail:
        return PatternError("too slow", f"took longer than {seconds:g} seconds")
    if _OUT_OF_MEMORY in detail:
        return PatternError("too large", f"needs more than {MAX_MEMORY >> 20} MB")
    if "stack overflow" in detail:
        return PatternError("too large", "is nested too deeply")
    if "too many captures" in detail:
        return PatternError("too large", "has too many groups")
    return PatternError("invalid", f"is not a JavaScript regular expression: {detail[:200]}")
