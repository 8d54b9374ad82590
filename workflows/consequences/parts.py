"""The parts of a proposal: edits that only make sense together. Each part can be accepted alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from workflows.core.dialects.base import Dialect
from workflows.core.pack import edits as kinds
from workflows.core.pack.edits import Edit, EditRefused
from workflows.core.pack.files import BadFiles

Part: TypeAlias = tuple[int, ...]
"""Indices of edits, ascending."""
WHOLE = (kinds.WriteFile, kinds.RemoveFile, kinds.Paste)
"""Edits whose needs have no names: with one of them, all edits are one part."""


def parts(dialect: Dialect, source: Any, edits: Sequence[Edit]) -> tuple[Part, ...]:
    """The parts of edits that are possible in this order.

    An edit belongs to an earlier one if it names what that one adds, writes the same field, or is
    refused without it.
    """
    indices = range(len(edits))
    if any(isinstance(edit, WHOLE) for edit in edits):
        return (tuple(indices),)
    groups: list[Part] = []
    for n in indices:
        linked = [part for part in groups if any(_needs(edits[n], edits[k]) for k in part)]
        groups = [part for part in groups if part not in linked] + [_joined(*linked, (n,))]
    return tuple(sorted(_possible(dialect, source, edits, groups)))


def _possible(
    dialect: Dialect, source: Any, edits: Sequence[Edit], groups: list[Part]
) -> list[Part]:
    """The groups, joined until each of them is possible without the others."""
    waiting, done = sorted(groups), list[Part]()
    while waiting:
        part = waiting.pop(0)
        others = [*done, *waiting]
        if not others or _is_possible(dialect, source, edits, part):
            done.append(part)
            continue
        helps = (one for one in others if _is_possible(dialect, source, edits, _joined(part, one)))
        joined = [one] if (one := next(helps, None)) else others
        done = [one for one in done if one not in joined]
        waiting = [_joined(part, *joined), *(one for one in waiting if one not in joined)]
    return done


def _is_possible(dialect: Dialect, source: Any, edits: Sequence[Edit], part: Part) -> bool:
    try:
        dialect.apply_all(source, [edits[n] for n in part])
    except (EditRefused, BadFiles):
        return False
    return True


def _joined(*parts: Part) -> Part:
    return tuple(sorted(n for part in parts for n in part))


def _needs(later: Edit, earlier: Edit) -> bool:
    if isinstance(later, _FIELD) and isinstance(earlier, _FIELD):
        one, other = f"{later.field}/", f"{earlier.field}/"
        if later.element == earlier.element and (one.startswith(other) or other.startswith(one)):
            return True
    added = _added(earlier)
    return bool(added) and any(name in added for name in _names(later))


_FIELD = (kinds.SetField, kinds.UnsetField)


def _added(edit: Edit) -> set[str]:
    """The names that exist after an edit only."""
    match edit:
        case kinds.Connect():
            return {f"{edit.source}|{edit.label}|{edit.target}"}
        case kinds.Relabel() | kinds.Retarget():
            source, _, rest = edit.transition.partition("|")
            label, _, target = rest.rpartition("|")
            if isinstance(edit, kinds.Relabel):
                return {f"{source}|{edit.label}|{target}"}
            return {f"{edit.source or source}|{label}|{edit.target or target}"}
        case kinds.AddState():
            return {edit.id}
        case kinds.RenameState() | kinds.DuplicateState():
            return {edit.new_id}
        case kinds.AddObject():
            return {edit.key}
        case kinds.RenameObject():
            return {edit.new_key}
        case _:
            return set()


def _names(value: Any) -> Iterator[str]:
    """Every text in an edit, and the names inside it: of an element, and of a transition's ends."""
    match value:
        case str():
            yield value
            plain = value.partition(":")[2] or value
            yield plain
            yield plain.partition("|")[0]
            yield plain.rpartition("|")[2]
        case dict():
            yield from value
            for one in value.values():
                yield from _names(one)
        case list():
            for one in value:
                yield from _names(one)
        case _ if hasattr(value, "to_json"):
            for one in value.to_json().values():
                yield from _names(one)
