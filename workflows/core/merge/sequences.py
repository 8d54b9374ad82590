"""Three-way alignment of sequences by their longest common subsequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MOST_EDITS = 1_000
"""Insertions and deletions up to which the longest common subsequence is searched. Beyond it, all
between the common beginning and the common end is one change."""


class Change(NamedTuple):
    """Tokens `start` to `end` of the old sequence become `first` to `last` of the new one."""

    start: int
    end: int
    first: int
    last: int

    @property
    def grows(self) -> bool:
        return self.last - self.first > self.end - self.start


@dataclass(frozen=True, slots=True)
class Region:
    """The same part of the common version, mine and theirs; `touched` if both sides changed it."""

    base: slice
    mine: slice
    theirs: slice
    touched: bool = False
    mine_changed: bool = False


def regions(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> list[Region]:
    """All three sequences cut at the changes, in order. Changes of both sides share a region if
    they overlap, or if both insert at the same place."""
    found: list[Region] = []
    at = own = other = 0
    for group in _groups(changes(base, mine), changes(base, theirs)):
        size = group.start - at
        if size:
            found.append(
                Region(slice(at, at + size), slice(own, own + size), slice(other, other + size))
            )
        at, own, other = at + size, own + size, other + size
        length = group.end - group.start
        sizes = [length + sum(_growth(one) for one in side) for side in group.sides]
        found.append(
            Region(
                slice(at, at + length), slice(own, own + sizes[0]), slice(other, other + sizes[1]),
                touched=all(group.sides), mine_changed=bool(group.sides[0]),
            )
        )  # fmt: skip
        at, own, other = at + length, own + sizes[0], other + sizes[1]
    if at < len(base):
        found.append(Region(slice(at, len(base)), slice(own, len(mine)), slice(other, len(theirs))))
    return found


def changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The changes from one sequence to another. Each insertion or deletion reaches over all places
    to which it can be moved with the same result."""
    least = min(len(old), len(new))
    head = next((n for n in range(least) if old[n] != new[n]), least)
    least -= head
    tail = next((n for n in range(least) if old[-1 - n] != new[-1 - n]), least)
    ours, theirs = old[head : len(old) - tail], new[head : len(new) - tail]
    if not ours and not theirs:
        return []
    found = [
        Change(one.start + head, one.end + head, one.first + head, one.last + head)
        for one in _differences(ours, theirs)
    ]
    return list(_reaching(old, new, found))


def _growth(change: Change) -> int:
    return change.last - change.first - change.end + change.start


def _differences(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The shortest edit script, by Myers' algorithm."""
    whole = [Change(0, len(old), 0, len(new))]
    if not old or not new:
        return whole
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MOST_EDITS) + 1):
        trace.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]
            )
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _script(trace, len(old), len(new))
    return whole


def _script(trace: list[dict[int, int]], x: int, y: int) -> list[Change]:
    """The changes, from the ends of both sequences back to their beginnings."""
    found: list[Change] = []
    for edits in range(len(trace) - 1, 0, -1):
        furthest, diagonal = trace[edits], x - y
        down = diagonal == -edits or (
            diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]
        )
        before = diagonal + 1 if down else diagonal - 1
        x = furthest[before]
        y = x - before
        one = Change(x, x, y, y + 1) if down else Change(x, x + 1, y, y)
        if found and (one.end, one.last) == (found[-1].start, found[-1].first):
            one = Change(one.start, found[-1].end, one.first, found[-1].last)
            found.pop()
        found.append(one)
    return found[::-1]


def _reaching(old: Sequence[str], new: Sequence[str], found: Sequence[Change]) -> Iterator[Change]:
    """The changes, each as wide as the places to which it can be moved."""
    floor = 0
    for number, one in enumerate(found):
        ceiling = found[number + 1].start if number + 1 < len(found) else len(old)
        back = ahead = 0
        if one.start == one.end or one.first == one.last:
            text, first, last = (
                (new, one.first, one.last) if one.start == one.end else (old, one.start, one.end)
            )
            while one.start - back > floor and text[first - 1 - back] == text[last - 1 - back]:
                back += 1
            while one.end + ahead < ceiling and text[first + ahead] == text[last + ahead]:
                ahead += 1
        yield Change(one.start - back, one.end + ahead, one.first - back, one.last + ahead)
        floor = one.end + ahead


@dataclass(slots=True)
class _Group:
    """Changes of both sides (mine, theirs) that have to be looked at together."""

    start: int
    end: int
    grows: bool
    sides: tuple[list[Change], list[Change]]


def _groups(mine: Sequence[Change], theirs: Sequence[Change]) -> list[_Group]:
    tagged = sorted([*((one, 0) for one in mine), *((one, 1) for one in theirs)])
    groups: list[_Group] = []
    for change, side in tagged:
        group = groups[-1] if groups else None
        if group is None or not _meet(group, change):
            group = _Group(change.start, change.end, change.grows, ([], []))
            groups.append(group)
        group.sides[side].append(change)
        group.end = max(group.end, change.end)
        group.grows = group.grows or change.grows
    return groups


def _meet(group: _Group, change: Change) -> bool:
    if group.start < change.end and change.start < group.end:
        return True
    return group.end == change.start and group.grows and change.grows
