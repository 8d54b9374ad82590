"""Differences between two versions of some bytes, as replaced spans.

A change is `(start, end, replacement)`: bytes `start` to `end` of the old text give way. The
changes of one tuple are ordered and do not overlap; their offsets all count in the old text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

Change: TypeAlias = tuple[int, int, bytes]
Changes: TypeAlias = Sequence[Change]

_CHUNK = 65_536
_WINDOW = 65_536  # bytes on either side within which two texts have to come together again
_ANCHOR = 48  # bytes of equal whole lines that count as having come together
_LINES = 400  # lines of the new text tried for it
_HUNKS = 200
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|$)")


def difference(old: bytes, new: bytes) -> tuple[Change, ...]:
    """Changes that turn `old` into `new`: small hunks where that is cheap, else one.

    No change begins or ends inside a UTF-8 character that both texts share.
    """
    if old == new:
        return ()
    start, end, replacement = _trimmed(0, old, new)
    if _breaks(old[start:end]) + _breaks(replacement) < 2:
        return ((start, end, replacement),)
    return tuple(_hunks(start, old[start:end], replacement))


def _breaks(text: bytes) -> int:
    return text.count(b"\n") + text.count(b"\r")


def _hunks(offset: int, old: bytes, new: bytes) -> list[Change]:
    """From difference to difference, each measured in whole lines and then trimmed."""
    hunks: list[Change] = []
    here = there = 0
    while here < len(old) or there < len(new):
        shared = _shared(old, new, here, there)
        line = _line_start(old, here, here + shared) - here
        here, there = here + line, there + line
        sizes = _apart(old, new, here, there) if len(hunks) < _HUNKS else None
        next_here, next_there = sizes or (len(old), len(new))
        hunk = _trimmed(offset + here, old[here:next_here], new[there:next_there])
        if hunk[0] < hunk[1] or hunk[2]:
            hunks.append(hunk)
        here, there = next_here, next_there
    return hunks


def _line_start(text: bytes, first: int, at: int) -> int:
    return max(text.rfind(b"\n", first, at) + 1, text.rfind(b"\r", first, at) + 1, first)


def _apart(old: bytes, new: bytes, here: int, there: int) -> tuple[int, int] | None:
    """Where the two texts, which differ from `here` and `there` on, agree again for a while.

    The nearest such place, but rather one whose lines are unique within the window: lines that
    repeat from block to block would tie the end of one block to the beginning of another.
    """
    best: tuple[int, int] | None = None
    doubtful: tuple[int, int] | None = None
    limit = _WINDOW
    at = there
    for _ in range(_LINES):
        anchor = _anchor(new, at)
        if at - there >= limit or len(anchor) < _ANCHOR:
            break
        last = here + limit - (at - there)
        position = _find_lines(old, anchor, here, last)
        if position is not None and (position, at) != (here, there):
            if old.find(anchor, position + 1, here + _WINDOW) < 0:
                best = position, at
                limit = position - here + at - there
            elif doubtful is None:
                doubtful = position, at
        at = _next_line(new, at)
    return best or doubtful


def _anchor(text: bytes, at: int) -> bytes:
    end = at
    while end < len(text) and end - at < _ANCHOR:
        end = _next_line(text, end)
    return text[at:end]


def _next_line(text: bytes, at: int) -> int:
    match = _LINE.match(text, at)
    return match.end() if match else len(text)


def _find_lines(text: bytes, lines: bytes, first: int, last: int) -> int | None:
    """The first place from `first` up to `last` where these whole lines begin a line."""
    position = text.find(lines, first, last + len(lines))
    while position > first and text[position - 1] not in b"\r\n":
        position = text.find(lines, position + 1, last + len(lines))
    return None if position < 0 else position


def _trimmed(offset: int, old: bytes, new: bytes) -> Change:
    """The change between two texts without what they share at both ends."""
    shorter = min(len(old), len(new))
    head = _shared(old, new, 0, 0)
    while head and (_inside_character(old, head) or _inside_character(new, head)):
        head -= 1
    tail = _shared_end(old, new, shorter - head)
    while tail and _inside_character(old, len(old) - tail):
        tail -= 1
    return offset + head, offset + len(old) - tail, new[head : len(new) - tail]


def _shared(old: bytes, new: bytes, here: int, there: int) -> int:
    """The number of equal bytes from `here` and `there` on. Compares in chunks."""
    most = min(len(old) - here, len(new) - there)
    size, chunk = 0, _CHUNK
    while chunk:
        further = size + chunk
        if further <= most and (
            old[here + size : here + further] == new[there + size : there + further]
        ):
            size = further
        else:
            chunk //= 2
    return size


def _shared_end(old: bytes, new: bytes, most: int) -> int:
    """The number of equal bytes at the ends of both, at most `most`."""
    size, chunk = 0, _CHUNK
    while chunk:
        further = size + chunk
        if further <= most and (
            old[len(old) - further : len(old) - size] == new[len(new) - further : len(new) - size]
        ):
            size = further
        else:
            chunk //= 2
    return size


def _inside_character(text: bytes, offset: int) -> bool:
    return offset < len(text) and text[offset] & 0xC0 == 0x80


def apply(old: bytes, changes: Changes) -> bytes:
    """The text after the changes. ValueError if they do not fit it."""
    pieces: list[bytes] = []
    cursor = 0
    for start, end, replacement in changes:
        if not cursor <= start <= end <= len(old):
            raise ValueError(f"the span {start} to {end} does not fit after {cursor}")
        pieces += [old[cursor:start], replacement]
        cursor = end
    pieces.append(old[cursor:])
    return b"".join(pieces)


def inverse(old: bytes, changes: Changes) -> tuple[Change, ...]:
    """The changes that turn the new text back into `old`."""
    back: list[Change] = []
    shift = 0
    for start, end, replacement in changes:
        begin = start + shift
        back.append((begin, begin + len(replacement), old[start:end]))
        shift += len(replacement) - (end - start)
    return tuple(back)


def shifted(changes: Changes, over: Changes) -> tuple[Change, ...] | None:
    """Changes made against a text A, moved so that they fit B, which `over` made of A.

    None if both touch the same bytes, or insert at the same place.
    """
    moved: list[Change] = []
    for start, end, replacement in changes:
        shift = 0
        for other_start, other_end, other in over:
            if _touch(start, end, other_start, other_end):
                return None
            if other_end <= start:
                shift += len(other) - (other_end - other_start)
        moved.append((start + shift, end + shift, replacement))
    return tuple(moved)


def _touch(start: int, end: int, other_start: int, other_end: int) -> bool:
    if start == end and other_start == other_end:
        return start == other_start
    return start < other_end and other_start < end
