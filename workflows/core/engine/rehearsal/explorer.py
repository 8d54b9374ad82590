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
        self.transitions: dict[str, Transition] = {}
        self.out: dict[str, list[Transition]] = {}
        self.into: dict[str, list[Transition]] = {}
        self.ends = {state.id for state in graph.states if state.terminal}
        self.caps = {state.id: state.max_visits for state in graph.states if state.max_visits}
        self.redirects: dict[str, Transition] = {}
        self.offered: dict[str, int] = {}
        """Transitions that were among the choices before → how often in a row such a choice may
        have to be made. They can be taken, no matter how long it takes."""
        self._view: tuple[object, Distances] | None = None
        self._end_view: tuple[object, Distances] | None = None
        self.picked: Counter[str] = Counter()
        """Transition → how often it was chosen. One that is still not taken is given up."""
        self.entries = tuple(entry.state for entry in graph.entries)
        for transition in graph.transitions:
            if counts_for_coverage(transition):
                self._learn(transition)
        self.cycle_of = {
            state: number
            for number, members in enumerate(components(self._everywhere()))
            for state in members
        }
        """State → number of its cycle: states with the same number reach each other."""

    def _everywhere(self) -> dict[str, list[str]]:
        """State → the targets of its transitions, including redirects."""
        targets: dict[str, list[str]] = {}
        for transition in self.transitions.values():
            targets.setdefault(transition.source, []).append(transition.target)
            targets.setdefault(transition.target, [])
        return targets

    def _learn(self, transition: Transition) -> None:
        self.transitions[transition.id] = transition
        if transition.kind == "redirect":
            self.redirects[transition.source] = transition
        else:
            self.out.setdefault(transition.source, []).append(transition)
            self.into.setdefault(transition.target, []).append(transition)

    def transitions_of(self, event: Event) -> list[str]:
        """The transitions that an event covers, in order: usually one; if a limit redirected, the
        refused transition and the redirect. A run may end with a transition."""
        fields = event.fields
        if event.type == "run.finished":
            return [fields["transition"]] if fields.get("transition") in self.transitions else []
        if fields.get("transition") in self.transitions:
            return [fields["transition"]]
        wanted = fields.get("original_target") or fields["target"]
        refused = f"{fields['source']}|{fields['label']}|{wanted}"
        redirect = self.redirects.get(wanted)
        ids = [refused] if refused in self.transitions else []
        if redirect and redirect.target == fields["target"]:
            ids.append(redirect.id)
        return ids

    def shortest_path_to(self, id: str) -> tuple[str, ...]:
        """The shortest path from an entry that ends with this transition, by the graph alone. Empty
        if there is none, and for redirects: those need a full limit."""
        goal = self.transitions[id]
        if goal.kind == "redirect":
            return ()
        arrived_by: dict[str, Transition | None] = dict.fromkeys(self.entries)
        queue = deque(arrived_by)
        while queue and goal.source not in arrived_by:
            for transition in self.out.get(queue.popleft(), ()):
                if transition.target not in arrived_by:
                    arrived_by[transition.target] = transition
                    queue.append(transition.target)
        if goal.source not in arrived_by:
            return ()
        walk = [goal.id]
        incoming = arrived_by[goal.source]
        while incoming is not None:
            walk.append(incoming.id)
            incoming = arrived_by[incoming.source]
        return tuple(reversed(walk))

    def path_before(self, id: str) -> tuple[str, ...]:
        """The shortest path after which a run may take a transition with `after`; empty without
        one."""
        goal = self.transitions[id]
        ways = [way.id for way in self.into.get(goal.source, ()) if way.source == goal.after]
        return self.shortest_path_to(ways[0]) if ways else ()

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
            count = self.offered.get(choice.transition, 1)
            self.offered[choice.transition] = max(count, choice.times)
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
        unpicked = [choice for choice in choices if self._is_new(choice, taken)]
        new = self._losing_least(unpicked, taken, entered)
        if len(new) == 1:
            return new[0]
        view = self._towards_new(taken, visits, entered)
        if not new and all(view.distance_after(choice) >= NOWHERE for choice in choices):
            view = self._towards_end(visits)
        ranked = [
            (view.distance_after(choice), taken.get(choice.transition, 0), rng.next(), number)
            for number, choice in enumerate(new or choices)
        ]
        return (new or choices)[min(ranked)[-1]]

    def _losing_least(
        self, new: Sequence[Choice], taken: Mapping[str, int], entered: Mapping[str, int]
    ) -> Sequence[Choice]:
        """The new transitions after which most of the new ones can still be taken. Skips the search
        if all of them stay in one cycle."""
        targets = [self.target_of(choice) for choice in new]
        if len({self.cycle_of.get(target, target) for target in targets}) < 2:
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
        ids: set[str] = set()
        while queue and len(ids) < MAX_DISTANCE and len(reached) < 4 * MAX_DISTANCE:
            here = queue.popleft()
            redirect = self.redirects.get(here)
            for transition in [*self.out.get(here, ()), *([redirect] if redirect else ())]:
                if not taken.get(transition.id) and not self._given_up(transition, entered):
                    ids.add(transition.id)
                if transition.target not in reached:
                    reached.add(transition.target)
                    queue.append(transition.target)
        return ids

    def target_of(self, choice: Choice) -> str:
        transition = self.transitions.get(choice.transition)
        return transition.target if transition else choice.transition.rpartition("|")[2]

    def _is_new(self, choice: Choice, taken: Mapping[str, int]) -> bool:
        id = choice.transition
        return id in self.transitions and not taken.get(id) and self._worth_picking(id)

    def _worth_picking(self, id: str) -> bool:
        return self.picked[id] < RETRIES * self.offered[id]

    def _towards_end(self, visits: Mapping[str, int]) -> Distances:
        full = tuple(id for id, cap in self.caps.items() if visits.get(id, 0) >= cap)
        if self._end_view is None or self._end_view[0] != full:
            view = Distances(self, goals=self.ends, limited=set(), visits=visits, stops_here=-1)
            self._end_view = full, view
        return self._end_view[1]

    def _towards_new(
        self, taken: Mapping[str, int], visits: Mapping[str, int], entered: Mapping[str, int]
    ) -> Distances:
        full = tuple(id for id, cap in self.caps.items() if visits.get(id, 0) >= cap)
        grain = 1 + len(self.transitions) // COARSE
        now = (
            len(taken) // grain,
            len(self.offered) // grain,
            sum(entered.values()) // STALE_AFTER,
            full,
        )
        if self._view is not None and self._view[0] == now:
            return self._view[1]
        goals, limited = set(), set()
        for id, transition in self.transitions.items():
            if taken.get(id) or self._given_up(transition, entered):
                continue
            goals.add(transition.source)
            if transition.kind == "redirect":
                limited.add(transition.source)
        view = Distances(self, goals=goals, limited=limited, visits=visits)
        self._view = (now, view)
        return view

    def _given_up(self, transition: Transition, entered: Mapping[str, int]) -> bool:
        """Return True if runs were at this transition's source so often that it should have been
        offered. One with `after` is never offered: a failed command takes it."""
        if transition.after:
            return True
        if transition.id in self.offered:
            return not self._worth_picking(transition.id)
        count = entered.get(transition.source, 0)
        if transition.kind == "redirect":
            return count > RETRIES * (self.caps.get(transition.source) or 1)
        return count > RETRIES + 2 * len(self.out.get(transition.source, ()))


def counts_for_coverage(transition: Transition) -> bool:
    """Return True if a run can take this transition: not for one that is never followed, nor for a
    call to an agent."""
    return not transition.inert and transition.kind != "delegate"
