"""A merge by keys, written apart from the product: what a person would expect of a clean merge."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import Any

MISSING: Any = ...


class Clash(Exception):
    """Both sides changed one value."""


def merged(base: Any, mine: Any, theirs: Any) -> Any:
    """Maps by key, lists of names and of elements with an id by name, texts by lines."""
    if theirs == base or mine == theirs:
        return mine
    if mine == base:
        return theirs
    if isinstance(mine, dict) and isinstance(theirs, dict):
        old = base if isinstance(base, dict) else {}
        pairs = ((key, _member(old, mine, theirs, key)) for key in {**mine, **theirs, **old})
        return {key: value for key, value in pairs if value is not MISSING}
    if isinstance(base, list) and isinstance(mine, list) and isinstance(theirs, list):
        return _merged_list(base, mine, theirs)
    if isinstance(base, str) and isinstance(mine, str) and isinstance(theirs, str):
        return merged_lines(base, mine, theirs)
    raise Clash


def _member(base: dict[str, Any], mine: dict[str, Any], theirs: dict[str, Any], key: str) -> Any:
    return merged(*(side.get(key, MISSING) for side in (base, mine, theirs)))


def _merged_list(base: list[Any], mine: list[Any], theirs: list[Any]) -> list[Any]:
    sides = base, mine, theirs
    if all(isinstance(one, dict) for side in sides for one in side):
        named = [{_name(one): one for one in side} for side in sides]
        if all(len(one) == len(side) for one, side in zip(named, sides, strict=True)):
            return list(merged(*named).values())
    texts = all(isinstance(one, str) for side in sides for one in side)
    if texts and all(set(base) <= set(side) and len(set(side)) == len(side) for side in sides):
        return list(dict.fromkeys([*mine, *theirs]))
    raise Clash


def _name(element: dict[str, Any]) -> str:
    """An id, or the ends and the label of a transition."""
    return str([element.get(key) for key in ("id", "from", "to", "label")])


def merged_lines(base: str, mine: str, theirs: str) -> str:
    """Texts of which each side changed other lines, with an unchanged one between."""
    old = base.splitlines(keepends=True)
    hunks = []
    for side in (mine, theirs):
        new = side.splitlines(keepends=True)
        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        hunks += [(a, b, new[c:d]) for tag, a, b, c, d in codes if tag != "equal"]
    hunks.sort(key=lambda hunk: hunk[:2])
    parts: list[str] = []
    at = 0
    for start, end, lines in hunks:
        if parts and start <= at:
            raise Clash
        parts += [*old[at:start], *lines]
        at = end
    return "".join([*parts, *old[at:]])


def lost(base: Any, side: Any, other: Any, result: Any, at: str = "") -> list[str]:
    """The changes of a side that a merge lost, by place. A value that the other side changed too
    has to keep this side's new words."""
    if side in (base, result):
        return []
    if isinstance(side, dict) and isinstance(result, dict):
        old, others = (one if isinstance(one, dict) else {} for one in (base, other))
        return [
            loss
            for key in {**side, **old}
            for loss in lost(
                old.get(key, MISSING), side.get(key, MISSING), others.get(key, MISSING),
                result.get(key, MISSING), f"{at}/{key}",
            )
        ]  # fmt: skip
    new = Counter(_words(side)) - Counter(_words(base))
    gone = new - Counter(_words(result))
    return [f"{at}: {sorted(gone)}"] if gone or other == base else []


def _words(value: Any) -> list[str]:
    return re.findall(r"\w+", str(value))
