"""The time of a log without its idle seconds: see `RunState.idle_seconds`."""

from __future__ import annotations

from workflows.core.engine.events import Event
from workflows.core.engine.fold import fork_points

ACTIVE_CLOCK_EVENTS = (
    "run.started",
    "run.paused",
    "run.resumed",
    "run.finished",
    "effect.repeated",
)
"""Types of the events that the clock needs; others may be missing."""


class ActiveClock:
    """Reads a log, or some of its events, in order. `RunState.active_seconds` is the same for the
    newest event. The canvas has one too (`activeClock.ts`)."""

    __slots__ = ("_at", "_fork_points", "_idle", "_n", "_paused")

    def __init__(self) -> None:
        self._idle = self._at = 0.0
        self._n = 0
        self._paused = False
        self._fork_points: tuple[int, ...] = ()

    def read(self, event: Event) -> float:
        """Return the time of the event, in seconds since 1970 less the idle seconds before it."""
        if self._paused or any(self._n <= point < event.n for point in self._fork_points):
            self._idle += max(0.0, event.at - self._at)
        match event.type:
            case "run.started":
                self._fork_points = fork_points(event.fields)
            case "run.paused" | "run.finished":
                self._paused = True
            case "effect.repeated":
                self._idle += event.fields.get("idle", 0.0)
            case "run.resumed" if "key" not in event.fields:
                self._paused = False
        self._n, self._at = event.n, event.at
        return event.at - self._idle
