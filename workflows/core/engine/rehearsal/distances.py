"""Distances from every state to some goals, with the visit limits of one run."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

from workflows.core.engine.effects import Choice
from workflows.core.pack.graph import END

if TYPE_CHECKING:
    from workflows.core.engine.rehearsal.explorer import Explorer

NOWHERE = 1_000_000
"""The distance of unreachable goals."""


class Distances:
    """Distances to some goals with the current visit limits.

    `limited` are states whose limit is to be reached: a transition into a full one is a goal.
    `stops_here` is the distance after a choice without a transition: such a choice ends the run.
    """

    def __init__(
        self,
        explorer: Explorer,
        *,
        goals: set[str],
        limited: set[str],
        visits: Mapping[str, int],
        stops_here: int = NOWHERE,
    ) -> None:
        self.explorer = explorer
        self.stops_here = stops_here
        self.limited = limited
        self.full = {
            id: explorer.redirects[id].target if id in explorer.redirects else ""
            for id, cap in explorer.caps.items()
            if visits.get(id, 0) >= cap
        }
        self.distance = self._distances(goals)

    def distance_after(self, choice: Choice) -> int:
        """The distance to the nearest goal after this choice."""
        target = self.explorer.target_of(choice) if choice.transition else END
        if target == END:
            return self.stops_here
        if target in self.full and target not in self.limited:
            target = self.full[target]
        return self.distance.get(target, NOWHERE)

    def _distances(self, goals: set[str]) -> dict[str, int]:
        """Steps from every state to the nearest goal."""
        redirected_from: dict[str, list[str]] = {}
        for id, redirect in self.full.items():
            redirected_from.setdefault(redirect, []).append(id)
        distance = dict.fromkeys(sorted(goals), 0)
        queue = deque(distance)
        while queue:
            state = queue.popleft()
            blocked = state in self.full and state not in self.limited
            for entered in [*(() if blocked else (state,)), *redirected_from.get(state, ())]:
                for transition in self.explorer.into.get(entered, ()):
                    if transition.source not in distance:
                        distance[transition.source] = distance[state] + 1
                        queue.append(transition.source)
        return distance
