"""Distances from every state to some goals, with the visit limits of one run."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

from workflows.core.engine.effects import Choice

if TYPE_CHECKING:
    from workflows.core.engine.rehearsal.explorer import Explorer

NOWHERE = 1_000_000
"""The distance of unreachable goals."""


class Distances:
    """Distances to some goals with the current visit limits.

    `doors` are states whose limit is to be reached: a transition into one that is full is itself a
    goal. `stops_here` is the distance after a choice without a transition: such a choice ends the
    run.
    """

    def __init__(
        self,
        scout: Explorer,
        *,
        goals: set[str],
        doors: set[str],
        visits: Mapping[str, int],
        stops_here: int = NOWHERE,
    ) -> None:
        self.scout = scout
        self.stops_here = stops_here
        self.doors = doors
        self.full = {
            id: scout.redirects[id].target if id in scout.redirects else ""
            for id, cap in scout.caps.items()
            if visits.get(id, 0) >= cap
        }
        self.distance = self._distances(goals)

    def far(self, choice: Choice) -> int:
        """The distance to the nearest goal after this choice."""
        if not choice.transition:
            return self.stops_here
        target = self.scout.target_of(choice)
        if target in self.full and target not in self.doors:
            target = self.full[target]
        return self.distance.get(target, NOWHERE)

    def _distances(self, goals: set[str]) -> dict[str, int]:
        """Steps from every state to the nearest goal."""
        led_to: dict[str, list[str]] = {}
        for id, landing in self.full.items():
            led_to.setdefault(landing, []).append(id)
        far = dict.fromkeys(sorted(goals), 0)
        queue = deque(far)
        while queue:
            state = queue.popleft()
            shut = state in self.full and state not in self.doors
            for door in [*(() if shut else (state,)), *led_to.get(state, ())]:
                for arrow in self.scout.into.get(door, ()):
                    if arrow.source not in far:
                        far[arrow.source] = far[state] + 1
                        queue.append(arrow.source)
        return far
