"""The interface of a driver: one module in this folder that declares `DRIVER`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from workflows.core.engine.effects import AskModel
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply
from workflows.core.pack.graph import Graph

OnDelta: TypeAlias = Callable[[str], Awaitable[None]]
"""Called with each piece of streamed text. Pieces are shown and never stored."""

MAX_DELAY = 60.0


class ModelUnavailable(Exception):
    """No answer is possible now. The message states the reason and the next step. The run pauses
    with it and retries when it is resumed. `sent`: the requests that failed. `connection`: the one
    at fault, "" for none."""

    def __init__(self, message: str, sent: tuple[Mapping[str, Any], ...] = ()) -> None:
        super().__init__(message)
        self.sent, self.connection = sent, ""


class Driver(Protocol):
    """A source of model replies."""

    name: str
    label: str
    description: str
    claims: Mapping[str, str]
    """Capability → degree of support: see `core.engine.capabilities`."""

    async def answer(
        self,
        effect: AskModel,
        run: RunState,
        graph: Graph,
        options: Mapping[str, Any],
        on_delta: OnDelta | None = None,
    ) -> Reply | None:
        """The reply, or None if a person gives it.

        `run` is the run as recorded in its log, with `effect` pending; `options` are those of the
        run (`seed`, `script`…). The reply's `at` is the run's own time; the caller replaces it with
        the clock. Raises CannotRun if no answer is possible at all, and
        ModelUnavailable if a retry may succeed later.
        """
        ...


def delay_seconds(options: Mapping[str, Any]) -> float:
    """Seconds to wait before a simulated reply is delivered, so that people can watch: `delay_ms`
    of the run's options. The caller waits."""
    delay = options.get("delay_ms") or 0
    if isinstance(delay, bool) or not isinstance(delay, (int, float)):
        return 0.0
    return min(max(0.0, delay / 1000), MAX_DELAY)
