"""Difference of two graphs, without comparing what they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from workflows.core.pack.graph import State, Transition, state_json, transition_json

Drawn = TypeVar("Drawn", State, Transition)


def wire(drawn: State | Transition) -> dict[str, Any]:
    """One state or transition as JSON."""
    return state_json(drawn) if isinstance(drawn, State) else transition_json(drawn)


def differing(old: Mapping[str, Drawn], new: Mapping[str, Drawn]) -> Iterator[tuple[str, Drawn]]:
    """States or transitions of `new` that are missing in `old` or drawn differently there.

    An edit creates new objects only for what it changed, so identical objects are unchanged.
    """
    for key, now in new.items():
        was = old.get(key)
        if was is not now and (was is None or wire(was) != wire(now)):
            yield key, now


def set_and_gone(old: Mapping[str, Drawn], new: Mapping[str, Drawn]) -> dict[str, list[Any]]:
    """Difference for the page: `set` holds what to draw, `gone` the removed keys."""
    return {
        "set": [wire(now) for _, now in differing(old, new)],
        "gone": [key for key in old if key not in new],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPrompts:
    """Prompts that were shared and still are, by another number of states: prompt → number of
    users. `states` differ in this number alone, so the page needs nothing else about them."""

    counts: dict[str, int]
    states: set[str]


def shared_prompts(old: Mapping[str, State], new: Mapping[str, State]) -> SharedPrompts:
    """The numbers of users that changed. One edit of a state can change all that share its prompt,
    and these may be thousands."""
    shared = SharedPrompts(counts={}, states=set())
    for key, now in new.items():
        was = old.get(key)
        if was is None or was is now or was.prompt_users == now.prompt_users:
            continue
        if not (was.prompt_users > 0 and now.prompt_users > 0 and was.role == now.role):
            continue
        alike = wire(was) | {"prompt_users": now.prompt_users} == wire(now)
        if alike and shared.counts.setdefault(now.role, now.prompt_users) == now.prompt_users:
            shared.states.add(key)
    return shared


def keys(old: Mapping[str, Drawn], new: Mapping[str, Drawn]) -> dict[str, list[str]]:
    """Keys added, removed and changed."""
    drawn = [key for key, _ in differing(old, new)]
    return {
        "added": [key for key in drawn if key not in old],
        "removed": [key for key in old if key not in new],
        "changed": [key for key in drawn if key in old],
    }
