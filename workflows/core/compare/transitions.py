"""Which arrows came, went, lead elsewhere or are drawn otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.compare.json_values import Renames
from workflows.core.compare.version import Side, wire_differences
from workflows.core.pack.graph import Transition, transition_json

Key = tuple[str, str, str]
"""Source, label and target, by their new names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrowChanges:
    """Arrows of both sides. `moved` lead elsewhere or carry another label: (older, newer).
    `redrawn` are drawn otherwise: id → field → was, now."""

    added: tuple[Transition, ...]
    removed: tuple[Transition, ...]
    moved: tuple[tuple[Transition, Transition], ...]
    redrawn: Mapping[str, Mapping[str, tuple[Any, Any]]]


def arrow_changes(before: Side, after: Side, renames: Renames) -> ArrowChanges:
    """Compare by source, label and target. An arrow that only follows a rename did not change."""
    old = {_key(arrow, renames): arrow for arrow in before.graph.transitions}
    new = {_key(arrow, {}): arrow for arrow in after.graph.transitions}
    gone = {key: arrow for key, arrow in old.items() if key not in new}
    come = {key: arrow for key, arrow in new.items() if key not in old}
    moved = _paired(gone, come, lambda key: key[:2]) + _paired(
        gone, come, lambda key: (key[0], key[2])
    )
    redrawn = {}
    for key, now in new.items():
        was = old.get(key)
        if was is not None and was != now and (fields := _redrawn(was, now, renames)):
            redrawn[now.id] = fields
    return ArrowChanges(
        added=tuple(come.values()),
        removed=tuple(gone.values()),
        moved=tuple(moved),
        redrawn=redrawn,
    )


def _key(arrow: Transition, renames: Renames) -> Key:
    return (
        renames.get(arrow.source, arrow.source),
        renames.get(arrow.label, arrow.label),
        renames.get(arrow.target, arrow.target),
    )


def _paired(
    gone: dict[Key, Transition], come: dict[Key, Transition], alike: Callable[[Key], Any]
) -> list[tuple[Transition, Transition]]:
    """Take out those that went and came once each under the same two of the three."""
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
    found = wire_differences(
        transition_json(was), transition_json(now), but=("id", "source", "target", "label")
    )
    return {name: pair for name, pair in found.items() if renames.get(pair[0]) != pair[1]}
