"""Transitions that were added, removed, moved or changed in their drawing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.compare.json_values import Renames
from workflows.core.compare.version import Version, wire_differences
from workflows.core.pack.graph import Transition, transition_json

Key = tuple[str, str, str]
"""Source, label and target, by their new names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransitionChanges:
    """Changed transitions. `moved` have another target or label: (older, newer). `redrawn` have
    another drawing: id → field → was, now."""

    added: tuple[Transition, ...]
    removed: tuple[Transition, ...]
    moved: tuple[tuple[Transition, Transition], ...]
    redrawn: Mapping[str, Mapping[str, tuple[Any, Any]]]


def transition_changes(before: Version, after: Version, renames: Renames) -> TransitionChanges:
    """Compare by source, label and target. A transition that only follows a rename is unchanged."""
    old = {_key(transition, renames): transition for transition in before.graph.transitions}
    new = {_key(transition, {}): transition for transition in after.graph.transitions}
    gone = {key: transition for key, transition in old.items() if key not in new}
    come = {key: transition for key, transition in new.items() if key not in old}
    moved = _paired(gone, come, lambda key: key[:2]) + _paired(
        gone, come, lambda key: (key[0], key[2])
    )
    redrawn = {}
    for key, now in new.items():
        was = old.get(key)
        if was is not None and was != now and (fields := _redrawn(was, now, renames)):
            redrawn[now.id] = fields
    return TransitionChanges(
        added=tuple(come.values()),
        removed=tuple(gone.values()),
        moved=tuple(moved),
        redrawn=redrawn,
    )


def _key(transition: Transition, renames: Renames) -> Key:
    return (
        renames.get(transition.source, transition.source),
        renames.get(transition.label, transition.label),
        renames.get(transition.target, transition.target),
    )


def _paired(
    gone: dict[Key, Transition], come: dict[Key, Transition], alike: Callable[[Key], Any]
) -> list[tuple[Transition, Transition]]:
    """Remove and return the pairs that match uniquely in two of the three parts of their key."""
    went, came = defaultdict(list), defaultdict(list)
    for key in gone:
        went[alike(key)].append(key)
    for key in come:
        came[alike(key)].append(key)
    return [
        (gone.pop(keys[0]), come.pop(came[look][0]))
        for look, keys in went.items()
        if len(keys) == 1 == len(came.get(look, ()))
    ]


def _redrawn(was: Transition, now: Transition, renames: Renames) -> dict[str, tuple[Any, Any]]:
    pairs = wire_differences(
        transition_json(was), transition_json(now), but=("id", "source", "target", "label")
    )
    return {name: pair for name, pair in pairs.items() if renames.get(pair[0]) != pair[1]}
