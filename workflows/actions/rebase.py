"""Rebase of byte changes over another person's changes.

Two people who each change some letters of one word changed the same value, though not the same
bytes. So each span is widened to the next delimiter on both sides before it is compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from workflows.core.text import spans

_DELIMITER = re.compile(rb'["\r\n,:{}\[\]]')
_REACH = 4096


def carried(
    old: bytes, mine: spans.Changes, theirs: spans.Changes
) -> tuple[spans.Change, ...] | None:
    """`mine` (against `old`), moved to fit the text that `theirs` made of `old`.

    None if both changed the same value.
    """
    return spans.shifted(widened(old, mine), widened(old, theirs))


def widened(old: bytes, changes: spans.Changes) -> tuple[spans.Change, ...]:
    """The same changes, each widened to the whole value around it; changes that then touch are
    merged."""
    groups: list[tuple[int, int, list[spans.Change]]] = []
    for change in changes:
        start, end = _reach(old, change)
        if groups and start < groups[-1][1]:
            first, last, inside = groups[-1]
            groups[-1] = (first, max(last, end), [*inside, change])
        else:
            groups.append((start, end, [change]))
    return tuple((start, end, _text(old, start, end, inside)) for start, end, inside in groups)


def only_adds(old: bytes, new: bytes) -> bool:
    """Return True if `new` holds every byte of `old`, in order."""
    return all(start == end for start, end, _ in spans.difference(old, new))


def _reach(old: bytes, change: spans.Change) -> tuple[int, int]:
    """Extend a span to the delimiters around it, unless the change itself has delimiters."""
    start, end, new = change
    texts = [text for text in (old[start:end].strip(b" \t"), new.strip(b" \t")) if text]
    left, right = start, end
    if not all(_DELIMITER.match(text) for text in texts):
        before = old[max(0, start - _REACH) : start]
        delimiters = [match.end() for match in _DELIMITER.finditer(before)]
        value = before[delimiters[-1] if delimiters else 0 :]
        left = start - len(value.lstrip(b" \t"))
    if not all(_DELIMITER.match(text[-1:]) for text in texts):
        match = _DELIMITER.search(old, end, end + _REACH)
        last = match.start() if match else min(len(old), end + _REACH)
        right = end + len(old[end:last].rstrip(b" \t"))
    return left, right


def _text(old: bytes, start: int, end: int, inside: Sequence[spans.Change]) -> bytes:
    moved = [(first - start, last - start, text) for first, last, text in inside]
    return spans.apply(old[start:end], moved)
