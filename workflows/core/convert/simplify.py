"""Machines made simpler, for dialects that have less: no branches at once, ends that are states."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise

from workflows.core.convert.conversion import Note
from workflows.core.convert.facts import transition_key
from workflows.core.convert.neutral import Machine, State, Transition, unique_name
from workflows.core.rules.strong_components import cyclic_components

NEXT = "next"
"""The label of a way that needs no name."""


def in_sequence(machine: Machine) -> tuple[Machine, tuple[Note, ...]]:
    """Branches that ran at once follow one another, and the last one leads to where they meet.
    A branch that has ways of its own keeps them, and is led on from where it ends."""
    ways: dict[str, list[Transition]] = {state.id: list(state.ways) for state in machine.states}
    notes: list[Note] = []
    for state in machine.states:
        for index, way in enumerate(state.ways):
            if len(way.targets) < 2:
                continue
            led: list[str] = []
            chain = [*way.targets, *((way.join,) if way.join else ())]
            ways[state.id][index] = replace(way, targets=way.targets[:1], parallel=False, join=None)
            for here, following in pairwise(chain):
                for end in _ends(ways, here, set(chain) - {here}):
                    _lead_on(ways, end, following)
                    led.append(end)
            names = " → ".join(chain)
            why = f"Branches that ran at once follow one another: {names}."
            notes += [
                Note(key=transition_key(end, NEXT), fate="approximated", why=why) for end in led
            ]
            notes.append(
                Note(key=transition_key(state.id, way.label), fate="approximated", why=why)
            )
            notes += [
                Note(key=(f"state:{name}", "end"), fate="approximated", why=why)
                for name in way.targets
            ]
    states = tuple(replace(state, ways=tuple(ways[state.id])) for state in machine.states)
    return replace(machine, states=states), tuple(notes)


def _ends(ways: dict[str, list[Transition]], start: str, others: set[str]) -> list[str]:
    """Where the branch that begins here comes to its end."""
    seen, waiting, found = {start}, [start], list[str]()
    while waiting:
        here = waiting.pop()
        onward = [target for way in ways.get(here, ()) for target in way.targets]
        if not onward and here in ways:
            found.append(here)
        for target in onward:
            if target not in seen and target not in others:
                seen.add(target)
                waiting.append(target)
    return found


def _lead_on(ways: dict[str, list[Transition]], state: str, target: str) -> None:
    ending = [way for way in ways[state] if not way.targets]
    ways[state] = [replace(way, targets=(target,)) for way in ending] or [
        Transition(label=NEXT, targets=(target,))
    ]


FINISH = "finish"


def with_ends_apart(
    machine: Machine, may_end: Callable[[State], bool]
) -> tuple[Machine, tuple[Note, ...]]:
    """A state that may go on or end gets a state to end in. One that can only stay with itself
    until it is done just ends. States for which `may_end` holds stay as they are."""
    notes: list[Note] = []
    states: list[State] = []
    finish = unique_name(FINISH, machine.by_id)
    needed = False
    for state in machine.states:
        ending = [way for way in state.ways if not way.targets]
        onward = {target for way in state.ways for target in way.targets}
        if not ending or not onward or may_end(state):
            states.append(state)
        elif onward == {state.id}:
            why = "The state goes on until it is done; nobody has to say so."
            notes += [
                Note(key=transition_key(state.id, way.label), fate="approximated", why=why)
                for way in state.ways
            ]
            notes.append(Note(key=(f"state:{state.id}", "end"), fate="approximated", why=why))
            states.append(replace(state, ways=()))
        else:
            needed = True
            why = f"The run ends in a state of its own, “{finish}”."
            notes += [
                Note(key=transition_key(state.id, way.label), fate="approximated", why=why)
                for way in ending
            ]
            ways = tuple(
                way if way.targets else replace(way, targets=(finish,)) for way in state.ways
            )
            states.append(replace(state, ways=ways))
    if needed:
        states.append(
            State(
                id=finish, name="Finish", ways=(), turns=1,
                prompt=("Nothing is left to do. Say in one sentence what was reached.",),
            )
        )  # fmt: skip
    return replace(machine, states=tuple(states)), tuple(notes)


def on_loops(machine: Machine) -> frozenset[str]:
    """The states from which a run can come back to the same state."""
    return frozenset(id for group in cyclic_components(_after(machine)) for id in group)


def most_entries(machine: Machine, states: Iterable[str], visits: int) -> dict[str, int]:
    """How often a run of so many visits can come to each of these states, at most."""
    after = _after(machine)
    first = _distances(after, machine.entry)
    found: dict[str, int] = {}
    for state in states:
        reached = 0 if state == machine.entry else first.get(state, visits)
        around = _distances(after, state, state).get(state, visits)
        found[state] = 1 + max(0, visits - reached - 1) // around
    return found


def begin_apart(machine: Machine) -> tuple[str, ...]:
    """States from which everything can be reached that a run from the entry never comes to."""
    after = _after(machine)
    reached = {machine.entry, *_distances(after, machine.entry)}
    found: list[str] = []
    for state in machine.states:
        if state.id not in reached:
            below = {state.id, *_distances(after, state.id)}
            found = [id for id in found if id not in below]
            found.append(state.id)
            reached |= below
    return tuple(found)


def _after(machine: Machine) -> dict[str, list[str]]:
    return {
        state.id: [
            target
            for way in state.ways
            for target in (*way.targets, *((way.join,) if way.join else ()))
        ]
        for state in machine.states
    }


def _distances(after: dict[str, list[str]], start: str, goal: str = "") -> dict[str, int]:
    """State → how many arrows lead to it, at least one; up to `goal` where that is given."""
    found: dict[str, int] = {}
    waiting = deque([(start, 0)])
    while waiting and goal not in found:
        here, steps = waiting.popleft()
        for target in after.get(here, ()):
            if target not in found:
                found[target] = steps + 1
                waiting.append((target, steps + 1))
    return found
