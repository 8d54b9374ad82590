"""Renames: pairs of a removed and an added element that differ only in their name."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from workflows.core.compare.version import Version
from workflows.core.pack.graph import state_json

NAME = "\0name"
"""Placeholder for a name that only one version has."""


def find_renames(
    gone: Iterable[str],
    come: Iterable[str],
    look_before: Callable[[str], Hashable],
    look_after: Callable[[str], Hashable],
) -> dict[str, str]:
    """Old name → new name. Elements with equal fingerprints are paired in order, but only if as
    many were removed as added: otherwise the pairs would be ambiguous."""
    went, came = defaultdict(list), defaultdict(list)
    for name in gone:
        went[look_before(name)].append(name)
    if not went:
        return {}
    for name in come:
        came[look_after(name)].append(name)
    return {
        old: new
        for look, names in went.items()
        if len(names) == len(came.get(look, ()))
        for old, new in zip(names, came[look], strict=True)
    }


OTHERS = frozenset({"id", "prompt_users", "prompt", "prompt_line"})
"""Members of a drawn state that depend on its name, its prompt or other states."""


def state_fingerprint(side: Version, moved: frozenset[str]) -> Callable[[str], Hashable]:
    """The fingerprint of a state without its name: its drawing, its tree, its outgoing transitions,
    and the incoming ones from states that both versions have.

    `moved` are the names that only one version has.
    """
    leaving: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    coming: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for transition in side.graph.transitions:
        leaving[transition.source].append((transition.label, transition.kind, transition.target))
        if transition.source not in moved:
            coming[transition.target].append((transition.source, transition.label))

    def look(id: str) -> Hashable:
        state = side.states[id]
        drawing = {name: item for name, item in state_json(state).items() if name not in OTHERS}
        return (
            anonymous([drawing, side.tree(state)], moved),
            *sorted(anonymous(transition, moved) for transition in leaving[id]),
            *sorted(anonymous(transition, moved) for transition in coming[id]),
        )

    return look


def object_fingerprint(side: Version, moved: frozenset[str]) -> Callable[[str], Hashable]:
    """The fingerprint of an object without its name: its kind and its values."""

    def look(element: str) -> Hashable:
        form = side.form(element)
        values = anonymous(dict(form.values), moved) if form else ""
        return element.partition(":")[0], values

    return look


def anonymous(value: Any, moved: frozenset[str]) -> str:
    """A text that is equal for values that differ only in changed names."""
    return json.dumps(_without_names(value, moved), sort_keys=True)


def _without_names(value: Any, moved: frozenset[str]) -> Any:
    match value:
        case str():
            return NAME if value in moved else _without_stem(value, moved)
        case dict():
            return {
                _without_names(key, moved): _without_names(item, moved)
                for key, item in value.items()
            }
        case list() | tuple():
            return [_without_names(item, moved) for item in value]
    return value


def _without_stem(value: str, moved: frozenset[str]) -> str:
    """The text without a changed name inside, as in `review.issue` and `stages/review.md`."""
    head, _, rest = value.rpartition(".")
    folder, slash, name = head.rpartition("/")
    if head in moved:
        return f"{NAME}.{rest}"
    return f"{folder}{slash}{NAME}.{rest}" if name in moved else value
