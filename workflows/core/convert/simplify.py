"""Simplified machines for dialects without parallel branches or with separate end states."""

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
"""The label of a transition without a name."""


def in_sequence(machine: Machine) -> tuple[Machine, tuple[Note, ...]]:
    """Put parallel branches in sequence; the last one leads to their join. A branch with
    transitions of its own keeps them, and continues from its end."""
    transitions: dict[str, list[Transition]] = {
        state.id: list(state.transitions) for state in machine.states
    }
    notes: list[Note] = []
    for state in machine.states:
        for index, transition in enumerate(state.transitions):
            if len(transition.targets) < 2:
                continue
            led: list[str] = []
            chain = [*transition.targets, *((transition.join,) if transition.join else ())]
            transitions[state.id][index] = replace(
                transition, targets=transition.targets[:1], parallel=False, join=None
            )
            for here, following in pairwise(chain):
                for end in _ends(transitions, here, set(chain) - {here}):
                    _lead_on(transitions, end, following)
                    led.append(end)
            names = " → ".join(chain)
            why = f"Parallel branches run one after another: {names}."
            notes += [
                Note(key=transition_key(end, NEXT), fate="approximated", why=why) for end in led
            ]
            notes.append(
                Note(key=transition_key(state.id, transition.label), fate="approximated", why=why)
            )
            notes += [
                Note(key=(f"state:{end}", "end"), fate="approximated", why=why) for end in led
            ]
    states = tuple(
        replace(state, transitions=tuple(transitions[state.id])) for state in machine.states
    )
    return replace(machine, states=states), tuple(notes)


def _ends(by_state: dict[str, list[Transition]], start: str, others: set[str]) -> list[str]:
    """The states at which the branch that begins at `start` ends."""
    visited, waiting, ends = {start}, [start], list[str]()
    while waiting:
        here = waiting.pop()
        onward = [target for transition in by_state.get(here, ()) for target in transition.targets]
        if not onward and here in by_state:
            ends.append(here)
        for target in onward:
            if target not in visited and target not in others:
                visited.add(target)
                waiting.append(target)
    return ends


def _lead_on(transitions: dict[str, list[Transition]], state: str, target: str) -> None:
    ending = [transition for transition in transitions[state] if not transition.targets]
    transitions[state] = [replace(transition, targets=(target,)) for transition in ending] or [
        Transition(label=NEXT, targets=(target,))
    ]


FINISH = "finish"
FINISH_PROMPT = "Nothing is left to do. Say in one sentence what was reached."  # prose: off


def with_separate_ends(
    machine: Machine, may_end: Callable[[State], bool]
) -> tuple[Machine, tuple[Note, ...]]:
    """Add an end state for states that may continue or end. A state that only repeats itself until
    it is done becomes an end. States for which `may_end` is True are unchanged."""
    notes: list[Note] = []
    states: list[State] = []
    finish = unique_name(FINISH, machine.by_id)
    needed = False
    for state in machine.states:
        ending = [transition for transition in state.transitions if not transition.targets]
        onward = {target for transition in state.transitions for target in transition.targets}
        if not ending or not onward or may_end(state):
            states.append(state)
        elif onward == {state.id}:
            why = "The state repeats until it is done, without an outcome for that."
            notes += [
                Note(key=transition_key(state.id, transition.label), fate="approximated", why=why)
                for transition in state.transitions
            ]
            notes.append(Note(key=(f"state:{state.id}", "end"), fate="approximated", why=why))
            states.append(replace(state, transitions=()))
        else:
            needed = True
            why = f"The run ends in a separate state, “{finish}”."
            notes += [
                Note(key=transition_key(state.id, transition.label), fate="approximated", why=why)
                for transition in ending
            ]
            transitions = tuple(
                transition if transition.targets else replace(transition, targets=(finish,))
                for transition in state.transitions
            )
            states.append(replace(state, transitions=transitions))
    if needed:
        states.append(_finish(finish))
    return replace(machine, states=tuple(states)), tuple(notes)


def _finish(id: str) -> State:
    return State(id=id, name="Finish", transitions=(), turns=1, prompt=(FINISH_PROMPT,))


def with_reachable_end(machine: Machine, label: str) -> tuple[Machine, tuple[Note, ...]]:
    """Add an end state behind every cycle that a run cannot leave, with a transition `label` from
    the cycle's last state in the file."""
    order = [state.id for state in machine.states]
    after = _after(machine)
    ids = set(order)
    stuck = [
        max(group, key=order.index)
        for group in map(set, cyclic_components({id: after[id] for id in order}))
        if not any(_may_leave(machine.by_id[id], group & ids) for id in group & ids)
    ]
    if not stuck:
        return machine, ()
    finish = unique_name(FINISH, machine.by_id)
    states, notes = list(machine.states), []
    for id in stuck:
        state = machine.by_id[id]
        name = unique_name(label, {transition.label for transition in state.transitions})
        transition = Transition(label=name, targets=(finish,))
        states[order.index(id)] = replace(state, transitions=(*state.transitions, transition))
        why = f"The workflow never ends. “{id}” may end it now, in the new state “{finish}”."
        notes.append(Note(key=transition_key(id, name), fate="approximated", why=why))
    return replace(machine, states=(*states, _finish(finish))), tuple(notes)


def _may_leave(state: State, group: set[str]) -> bool:
    """True if a run can end in this state, or can go from it to a state outside the group."""
    return state.ends or any(
        not transition.targets or not set(transition.targets) <= group
        for transition in state.transitions
    )


def states_on_loops(machine: Machine) -> frozenset[str]:
    """The states to which a run can return."""
    return frozenset(id for group in cyclic_components(_after(machine)) for id in group)


def most_entries(machine: Machine, states: Iterable[str], visits: int) -> dict[str, int]:
    """The maximum number of times that a run of `visits` visits enters each of these states."""
    after = _after(machine)
    first = _distances(after, machine.entry)
    counts: dict[str, int] = {}
    for state in states:
        reached = 0 if state == machine.entry else first.get(state, visits)
        around = _distances(after, state, state).get(state, visits)
        counts[state] = 1 + max(0, visits - reached - 1) // around
    return counts


def separate_starts(machine: Machine) -> tuple[str, ...]:
    """States from which all states are reachable that are unreachable from the entry."""
    after = _after(machine)
    reached = {machine.entry, *_distances(after, machine.entry)}
    starts: list[str] = []
    for state in machine.states:
        if state.id not in reached:
            below = {state.id, *_distances(after, state.id)}
            starts = [id for id in starts if id not in below]
            starts.append(state.id)
            reached |= below
    return tuple(starts)


def _after(machine: Machine) -> dict[str, list[str]]:
    return {
        state.id: [
            target
            for transition in state.transitions
            for target in (*transition.targets, *((transition.join,) if transition.join else ()))
        ]
        for state in machine.states
    }


def _distances(after: dict[str, list[str]], start: str, goal: str = "") -> dict[str, int]:
    """State → number of transitions to it, at least one; stops at `goal` if given."""
    distances: dict[str, int] = {}
    waiting = deque([(start, 0)])
    while waiting and goal not in distances:
        here, steps = waiting.popleft()
        for target in after.get(here, ()):
            if target not in distances:
                distances[target] = steps + 1
                waiting.append((target, steps + 1))
    return distances
