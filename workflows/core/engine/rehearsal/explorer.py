"""The next choice of a rehearsal: a transition that was never taken, else one towards it, else one
towards an end."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence

from workflows.core.engine.effects import Choice
from workflows.core.engine.events import Event
from workflows.core.engine.rehearsal.distances import NOWHERE, Distances
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.pack.graph import Graph, Transition
from workflows.core.rules.strong_components import components

RETRIES = 4
"""A state is entered this many times more than it has transitions before the remaining ones are
given up."""

MAX_DISTANCE = 200
"""The search ahead ends after this many new transitions: a large graph need not be searched
whole."""

COARSE = 200
"""With more transitions than this, distances are not computed again after every single one."""

STALE_AFTER = 50
"""Number of entered states after which the list of given-up transitions is computed again."""


class Explorer:
    """The explorer of one graph; `taken` and `visits` are arguments of every question.

    A state that may not be entered again (`max_visits`) counts as the state that its limit
    redirects to.
    """

    def __init__(self, graph: Graph) -> None:
        self.arrows: dict[str, Transition] = {}
        self.out: dict[str, list[Transition]] = {}
        self.into: dict[str, list[Transition]] = {}
        self.ends = {state.id for state in graph.states if state.terminal}
        self.caps = {state.id: state.max_visits for state in graph.states if state.max_visits}
        self.redirects: dict[str, Transition] = {}
        self.offered: dict[str, int] = {}
        """Transitions that were among the choices before → how often in a row such a choice may
        have to be made. They can be taken, no matter how long it takes."""
        self._view: tuple[object, Distances] | None = None
        self.picked: Counter[str] = Counter()
        """Transition → how often it was chosen. One that is still not taken is given up."""
        self.entries = tuple(entry.state for entry in graph.entries)
        for arrow in graph.transitions:
            if counts_for_coverage(arrow):
                self._learn(arrow)
        self.round = {
            state: number
            for number, members in enumerate(components(self._everywhere()))
            for state in members
        }
        """State → number of its cycle: states with the same number reach each other."""

    def _everywhere(self) -> dict[str, list[str]]:
        """State → the targets of its transitions, including redirects."""
        ways: dict[str, list[str]] = {}
        for arrow in self.arrows.values():
            ways.setdefault(arrow.source, []).append(arrow.target)
            ways.setdefault(arrow.target, [])
        return ways

    def _learn(self, arrow: Transition) -> None:
        self.arrows[arrow.id] = arrow
        if arrow.kind == "redirect":
            self.redirects[arrow.source] = arrow
        else:
            self.out.setdefault(arrow.source, []).append(arrow)
            self.into.setdefault(arrow.target, []).append(arrow)

    def followed(self, event: Event) -> list[str]:
        """The transitions that a `transition.taken` event covers, in order: usually one; if a limit
        redirected, the refused transition and the redirect."""
        fields = event.fields
        if fields.get("transition") in self.arrows:
            return [fields["transition"]]
        wanted = fields.get("original_target") or fields["target"]
        refused = f"{fields['source']}|{fields['label']}|{wanted}"
        redirect = self.redirects.get(wanted)
        found = [refused] if refused in self.arrows else []
        if redirect and redirect.target == fields["target"]:
            found.append(redirect.id)
        return found

    def straight_to(self, id: str) -> tuple[str, ...]:
        """The shortest path from an entry that ends with this transition, by the graph alone. Empty
        if there is none, and for redirects: those need a full limit."""
        goal = self.arrows[id]
        if goal.kind == "redirect":
            return ()
        came: dict[str, Transition | None] = dict.fromkeys(self.entries)
        queue = deque(came)
        while queue and goal.source not in came:
            for arrow in self.out.get(queue.popleft(), ()):
                if arrow.target not in came:
                    came[arrow.target] = arrow
                    queue.append(arrow.target)
        if goal.source not in came:
            return ()
        walk = [goal.id]
        arrow_in = came[goal.source]
        while arrow_in is not None:
            walk.append(arrow_in.id)
            arrow_in = came[arrow_in.source]
        return tuple(reversed(walk))

    def best(
        self,
        choices: Sequence[Choice],
        *,
        taken: Mapping[str, int],
        visits: Mapping[str, int],
        entered: Mapping[str, int] | None = None,
        rng: Rng,
    ) -> Choice | None:
        """The best choice. Of equally good ones the least taken, then one by seed.

        `visits` are this run's (they fill limits); `taken` and `entered` may be those of many runs.
        """
        if not choices:
            return None
        for choice in choices:
            often = self.offered.get(choice.transition, 1)
            self.offered[choice.transition] = max(often, choice.times)
        chosen = self._best(choices, taken, visits, visits if entered is None else entered, rng)
        self.picked[chosen.transition] += 1
        return chosen

    def _best(
        self,
        choices: Sequence[Choice],
        taken: Mapping[str, int],
        visits: Mapping[str, int],
        entered: Mapping[str, int],
        rng: Rng,
    ) -> Choice:
        fresh = [choice for choice in choices if self._is_new(choice, taken)]
        new = self._losing_least(fresh, taken, entered)
        if len(new) == 1:
            return new[0]
        view = self._towards_new(taken, visits, entered)
        if not new and all(view.far(choice) >= NOWHERE for choice in choices):
            view = Distances(self, goals=self.ends, doors=set(), visits=visits, stops_here=-1)
        ranked = [
            (view.far(choice), taken.get(choice.transition, 0), rng.next(), number)
            for number, choice in enumerate(new or choices)
        ]
        return (new or choices)[min(ranked)[-1]]

    def _losing_least(
        self, new: Sequence[Choice], taken: Mapping[str, int], entered: Mapping[str, int]
    ) -> Sequence[Choice]:
        """The new transitions after which most of the new ones can still be taken. Skips the search
        if all of them stay in one cycle."""
        targets = [self.target_of(choice) for choice in new]
        if len({self.round.get(target, target) for target in targets}) < 2:
            return new
        ahead = {target: self._new_ahead(target, taken, entered) for target in set(targets)}
        kept = [
            len(ahead[target] | {choice.transition})
            for choice, target in zip(new, targets, strict=True)
        ]
        return [choice for choice, count in zip(new, kept, strict=True) if count == max(kept)]

    def _new_ahead(
        self, state: str, taken: Mapping[str, int], entered: Mapping[str, int]
    ) -> set[str]:
        """The reachable transitions that were not taken yet, nearest first."""
        reached = {state}
        queue = deque(reached)
        found: set[str] = set()
        while queue and len(found) < MAX_DISTANCE and len(reached) < 4 * MAX_DISTANCE:
            here = queue.popleft()
            redirect = self.redirects.get(here)
            for arrow in [*self.out.get(here, ()), *([redirect] if redirect else ())]:
                if not taken.get(arrow.id) and not self._given_up(arrow, entered):
                    found.add(arrow.id)
                if arrow.target not in reached:
                    reached.add(arrow.target)
                    queue.append(arrow.target)
        return found

    def target_of(self, choice: Choice) -> str:
        arrow = self.arrows.get(choice.transition)
        return arrow.target if arrow else choice.transition.rpartition("|")[2]

    def _is_new(self, choice: Choice, taken: Mapping[str, int]) -> bool:
        id = choice.transition
        return id in self.arrows and not taken.get(id) and self._worth_picking(id)

    def _worth_picking(self, id: str) -> bool:
        return self.picked[id] < RETRIES * self.offered[id]

    def _towards_new(
        self, taken: Mapping[str, int], visits: Mapping[str, int], entered: Mapping[str, int]
    ) -> Distances:
        full = tuple(id for id, cap in self.caps.items() if visits.get(id, 0) >= cap)
        grain = 1 + len(self.arrows) // COARSE
        now = (
            len(taken) // grain,
            len(self.offered) // grain,
            sum(entered.values()) // STALE_AFTER,
            full,
        )
        if self._view is not None and self._view[0] == now:
            return self._view[1]
        goals, doors = set(), set()
        for id, arrow in self.arrows.items():
            if taken.get(id) or self._given_up(arrow, entered):
                continue
            goals.add(arrow.source)
            if arrow.kind == "redirect":
                doors.add(arrow.source)
        view = Distances(self, goals=goals, doors=doors, visits=visits)
        self._view = (now, view)
        return view

    def _given_up(self, arrow: Transition, entered: Mapping[str, int]) -> bool:
        """Return True if runs were at this transition's source so often that it should have been
        offered."""
        if arrow.id in self.offered:
            return not self._worth_picking(arrow.id)
        often = entered.get(arrow.source, 0)
        if arrow.kind == "redirect":
            return often > RETRIES * (self.caps.get(arrow.source) or 1)
        return often > RETRIES + 2 * len(self.out.get(arrow.source, ()))


def counts_for_coverage(arrow: Transition) -> bool:
    """Return True if a run can take this transition: not for one that is never followed, nor for a
    call to an agent."""
    return not arrow.inert and arrow.kind != "delegate"
