"""Three-way merges of JSON values: maps by key, sets by identity, ordered lists by their longest
common subsequence, texts by lines."""

from __future__ import annotations

import json
from typing import Any, Protocol

from workflows.core.merge.identity import SETS, merged_order, names_of
from workflows.core.merge.sequences import regions
from workflows.core.merge.texts import merged_text
from workflows.core.text.json.merge import same
from workflows.core.text.json.pointer import Pointer
from workflows.core.text.tolerant import as_str


class Absent:
    """The value of a member that a side does not have."""


ABSENT = Absent()


class Decisions(Protocol):
    """Answers for the values that both sides changed differently."""

    def value(self, at: Pointer, base: Any, mine: Any, theirs: Any, both: Any = ABSENT) -> Any:
        """The value at a place, ABSENT for none. `both`: the value that has both sides', if one
        can."""

    def text(self, at: Pointer, line: int, base: str, mine: str, theirs: str) -> str:
        """Some lines of a text."""


def merged_value(base: Any, mine: Any, theirs: Any, decisions: Decisions, at: Pointer = ()) -> Any:
    """The value with both sides' changes. `base` is ABSENT for a value that both sides added."""
    if same(theirs, base) or same(mine, theirs):
        return mine
    if same(mine, base):
        return theirs
    if isinstance(mine, dict) and isinstance(theirs, dict):
        if isinstance(base, dict):
            return _merged_map(base, mine, theirs, decisions, at)
        if base is ABSENT and _compatible(mine, theirs):
            return _merged_map({}, mine, theirs, decisions, at)
    listed: Any = [] if base is ABSENT else base
    if isinstance(listed, list) and isinstance(mine, list) and isinstance(theirs, list):
        return _merged_list(listed, mine, theirs, decisions, at)
    if isinstance(mine, str) and isinstance(theirs, str):
        old = as_str(base)

        def decide(line: int, base: str, mine: str, theirs: str) -> str:
            return decisions.text(at, line, base, mine, theirs)

        return merged_text(old, mine, theirs, decide)
    return decisions.value(at, base, mine, theirs)


def _compatible(mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """True for two new maps that can be one: no key has two different scalars."""
    return all(
        same(mine[key], theirs[key])
        or (isinstance(mine[key], dict | list) and type(mine[key]) is type(theirs[key]))
        for key in mine.keys() & theirs.keys()
    )


def _merged_map(
    base: dict[str, Any], mine: dict[str, Any], theirs: dict[str, Any],
    decisions: Decisions, at: Pointer,
) -> dict[str, Any]:  # fmt: skip
    order, _ = merged_order(list(base), list(mine), list(theirs))
    result: dict[str, Any] = {}
    for key in order:
        old, own, other = (one.get(key, ABSENT) for one in (base, mine, theirs))
        value = merged_value(old, own, other, decisions, (*at, key))
        if value is not ABSENT:
            result[key] = value
    return result


def _merged_list(
    base: list[Any], mine: list[Any], theirs: list[Any], decisions: Decisions, at: Pointer
) -> list[Any]:
    key = next((one for one in reversed(at) if isinstance(one, str)), "")
    names = names_of(key, (base, mine, theirs))
    if names is None:
        return _merged_by_place(base, mine, theirs, decisions, at)
    order, contrary = merged_order(*names)
    if contrary and key not in SETS:
        chosen: list[Any] = decisions.value(at, base, mine, theirs)
        return chosen
    sides = [
        dict(zip(each, version, strict=True))
        for each, version in zip(names, (base, mine, theirs), strict=True)
    ]
    named = (names[0], names[2], names[1])
    places = {name: place for each in named for place, name in enumerate(each)}
    result: list[Any] = []
    for name in order:
        old, own, other = (side.get(name, ABSENT) for side in sides)
        value = merged_value(old, own, other, decisions, (*at, places[name]))
        if value is not ABSENT:
            result.append(value)
    return result


def _merged_by_place(
    base: list[Any], mine: list[Any], theirs: list[Any], decisions: Decisions, at: Pointer
) -> list[Any]:
    result: list[Any] = []
    for one in regions(*([_mark(each) for each in side] for side in (base, mine, theirs))):
        old, own, other = base[one.base], mine[one.mine], theirs[one.theirs]
        if not one.touched or same(own, other):
            result += own if one.mine_changed else other
        elif len(old) == len(own) == len(other) and all(map(_has_parts, old, own, other)):
            for n, sides in enumerate(zip(old, own, other, strict=True)):
                result.append(merged_value(*sides, decisions, (*at, one.mine.start + n)))
        else:
            result += decisions.value(at, old, own, other, [*own, *other])
    return result


def _has_parts(base: Any, mine: Any, theirs: Any) -> bool:
    """True for an element that one side changed, or that both can have changed in parts."""
    if same(base, mine) or same(base, theirs):
        return True
    return isinstance(base, dict) and isinstance(mine, dict) and isinstance(theirs, dict)


def _mark(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
