"""The steps that the walks of a rehearsal share.

Most walks begin alike, and equal answers lead to equal runs. A step that an earlier walk made with
an answer without random numbers is therefore not computed again. `bench.engine` measures it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from workflows.core.conversation.check import Refusals
from workflows.core.engine.effects import AskModel, Effect
from workflows.core.engine.events import Event
from workflows.core.engine.run import RunState

MAX_SHARED = 10_000_000
"""Estimated bytes of all shared points together. More are not kept."""
POINT_SIZE, ENTRY_SIZE = 10_000, 200
"""Estimated bytes of a run with its events, and of each state and transition that it counts."""


@dataclass(slots=True, kw_only=True)
class Point:
    """A run between two answers. `effect`: what it waits for, None at its end. `entered`: the
    states of the events since the answer before; `taken`: their transitions, with the number of the
    event. `refusals`: those of the question, once it was checked."""

    events: tuple[Event, ...]
    run: RunState
    effect: Effect | None
    entered: tuple[str, ...]
    taken: tuple[tuple[str, int], ...]
    refusals: Refusals | None = None
    is_shared: bool = False


class SharedSteps:
    """Points by the point before them and by the answer."""

    def __init__(self) -> None:
        self._after: dict[tuple[int, Hashable], Point] = {}
        self._left = MAX_SHARED

    def after(self, point: Point | None, answer: Hashable) -> Point | None:
        """The point that this answer leads to, if an earlier walk came to it. None is the point
        before a start."""
        return self._after.get((id(point), answer))

    def keep(self, point: Point | None, answer: Hashable, after: Point) -> None:
        """Share a point with later walks if its way from the start is shared and not too large."""
        if point is None or point.is_shared:
            self._left -= _size(after)
            if self._left > 0:
                after.is_shared = True
                self._after[id(point), answer] = after


def _size(point: Point) -> int:
    counted = ENTRY_SIZE * (len(point.run.visits) + len(point.run.taken))
    texts = 0
    if isinstance(point.effect, AskModel):
        texts = len(point.effect.system) + sum(len(turn.text) for turn in point.effect.messages)
    return POINT_SIZE + counted + 4 * texts
