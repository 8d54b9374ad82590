"""The part of a recorded run that a change can alter, so that only it is replayed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from workflows.consequences.version import Version
from workflows.core.compare.difference import Changes, Difference
from workflows.core.engine.events import Event
from workflows.core.engine.program import CannotRun

ANSWERS = ("model.replied", "command.finished", "approval.given")
"""Events with which a step begins, if they have the key of an effect."""
PLACES = ("state", "source", "target")
"""Fields of an event that name states."""


def affected_states(before: Version, after: Version, found: Difference) -> frozenset[str] | None:
    """The states whose steps the change can alter, under their old and new names. None if it can
    alter any step: of a dialect whose states see more of the pack than their own elements and
    prompts, and with a change outside of states, transitions and prompts."""
    if not before.dialect.local_steps or isinstance(after.program, CannotRun):
        return None
    if found.entries or found.files:
        return None
    states, users = set(_names(found.states)), _users(before, after)
    for version in (before, after):
        names = set(_names(found.transitions))
        states |= {one.source for one in version.graph.transitions if one.id in names}
    changed = {*found.objects.changed, *found.objects.removed}
    changed |= {name for pair in found.objects.renamed for name in pair}
    changed |= {one.element for one in found.elements}
    for element in changed:
        kind = element.partition(":")[0]
        if kind in ("state", "transition"):
            continue  # Those are in the changes above.
        if not users.get(element):
            return None
        states |= users[element]
    return frozenset(states)


def affected_part(log: Sequence[Event], states: Collection[str]) -> tuple[int, int]:
    """The first and the end of the events that have to be compared, by index: from the step in
    which the run comes to one of these states until it left them for the last time. (0, 0) if it
    never comes there."""
    there = [n for n, event in enumerate(log) if _is_at(event.fields, states)]
    if not there:
        return 0, 0
    end = there[-1] + 1
    while end < len(log) and not _begins_step(log[end]):
        end += 1
    first = 0
    if "forked_from" not in log[0].fields:
        first = next((n for n in range(there[0] - 1, 0, -1) if _begins_step(log[n])), 0)
    return first, end


def _is_at(fields: Mapping[str, Any], states: Collection[str]) -> bool:
    return any(isinstance(at := fields.get(name), str) and at in states for name in PLACES)


def _begins_step(event: Event) -> bool:
    return event.type in ANSWERS and bool(event.fields.get("key"))


def _names(changes: Changes) -> Iterator[str]:
    yield from (*changes.added, *changes.removed, *changes.changed)
    for pair in changes.renamed:
        yield from pair


def _users(*versions: Version) -> dict[str, set[str]]:
    """Element with a prompt → the states that have it."""
    users: dict[str, set[str]] = {}
    for version in versions:
        for state in version.graph.states:
            if state.prompt:
                users.setdefault(state.prompt, set()).add(state.id)
    return users
