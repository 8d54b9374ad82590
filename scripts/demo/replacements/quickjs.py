"""QuickJS as WebAssembly: the part of its package that `core.patterns.javascript` uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from signalbox_page import quickjs


class JSException(Exception):
    """JavaScript threw, or reached a limit."""


class Context:
    def __init__(self) -> None:
        self._context = quickjs.context()

    def __del__(self) -> None:
        if hasattr(self, "_context"):
            self._context.dispose()

    def set_memory_limit(self, bytes: int) -> None:
        self._context.limitMemory(bytes)

    def set_max_stack_size(self, bytes: int) -> None:
        self._context.limitStack(bytes)

    def set_time_limit(self, seconds: float) -> None:
        self._context.limitTime(seconds)

    def eval(self, function: str) -> Callable[..., Any]:
        _, number = _checked(self._context.evaluate(function))
        return lambda *texts: self._called(number, texts)

    def execute_pending_job(self) -> bool:
        return bool(_checked(self._context.job())[1])

    def _called(self, number: int, texts: tuple[str, ...]) -> Any:
        kind, value = _checked(self._context.call(number, *texts))
        if kind == "function":
            return lambda *more: self._called(value, more)
        return value


def _checked(result: Any) -> tuple[str, Any]:
    """The kind of a result and its value. Raises JSException."""
    kind, value = result
    if kind == "error":
        raise JSException(value)
    return kind, value
