"""What a driver promises. A driver is one module in this folder that declares `DRIVER`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from workflows.core.engine.effects import AskModel
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply
from workflows.core.pack.graph import Graph

OnDelta: TypeAlias = Callable[[str], Awaitable[None]]
"""Called with each piece of text as it comes. Pieces are shown and never stored."""

LONGEST_DELAY = 60.0


class Unanswered(Exception):
    """There is no way to an answer now, and the sentence says why and what to do. The run pauses
    with it; resumed, it asks again."""


class Driver(Protocol):
    """Answers as the model."""

    name: str
    label: str
    description: str
    claims: Mapping[str, str]
    """Capability → how well it has it: see `core.engine.capabilities`."""

    async def answer(
        self,
        effect: AskModel,
        run: RunState,
        graph: Graph,
        options: Mapping[str, Any],
        on_delta: OnDelta | None = None,
    ) -> Reply | None:
        """The answer, or None where a person gives it.

        `run` is the run as its log has it now, with `effect` pending; `options` are those of the
        run (`seed`, `script`…). The reply's `at` is the run's own time: whoever delivers it puts
        the clock in. Raises CannotRun with a sentence where no answer can be had at all, and
        Unanswered where it is worth asking again later.
        """
        ...


def delay_seconds(options: Mapping[str, Any]) -> float:
    """How long to wait before a made-up reply is delivered, so that people can watch: `delay_ms` of
    the run's options. Whoever delivers it does the waiting."""
    delay = options.get("delay_ms") or 0
    if isinstance(delay, bool) or not isinstance(delay, (int, float)):
        return 0.0
    return min(max(0.0, delay / 1000), LONGEST_DELAY)


async def say(reply: Reply, on_delta: OnDelta | None) -> None:
    """Hand a finished reply's text on word by word, as a model would."""
    if on_delta is not None:
        for word in reply.text.split(" ") if reply.text else []:
            await on_delta(f"{word} ")
