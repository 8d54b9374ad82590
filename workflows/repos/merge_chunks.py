"""Three-way merges of a file in pieces, so that a person can decide about each conflict."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from workflows.actions.file_merge import merged
from workflows.actions.rebase import widened
from workflows.core.text import spans
from workflows.repos.scratch import merged_text

MAX_WORDS = 1_000_000
"""Limit of words of one version times words of the other, for a comparison by words."""
_WORD = re.compile(rb"[^\W_]+|\s+|.", re.DOTALL)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
LONGEST_LINE = 400
"""Bytes of a line up to which a conflict is shown with its whole lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A place that both sides changed. `line` counts in the person's version, from 1."""

    line: int
    base: bytes
    mine: bytes
    theirs: bytes


Piece = bytes | Chunk
"""A merged part of a file, or a conflict."""


def pieces(old: bytes, mine: bytes, theirs: bytes) -> Sequence[Piece]:
    """The merged file in order. Without a conflict it is one piece of bytes."""
    whole = merged(old, mine, theirs)
    if whole is not None:
        return [whole]
    own, others = _changes(old, mine), _changes(old, theirs)
    found = _pieces(old, own, others)
    if any(isinstance(piece, Chunk) for piece in found):
        return found
    # Each change has a place of its own, but equal lines around them leave open which.
    lines = merged_text(old, mine, theirs)
    return [Chunk(line=1, base=old, mine=mine, theirs=theirs) if lines is None else lines]


def joined(parts: Sequence[Piece], choices: Mapping[int, bytes]) -> bytes:
    """The file with a text for each conflict by its number. Raises KeyError if one is missing."""
    made: list[bytes] = []
    number = 0
    for part in parts:
        if isinstance(part, Chunk):
            made.append(choices[number])
            number += 1
        else:
            made.append(part)
    return b"".join(made)


def both(chunk: Chunk) -> bytes:
    """Both sides' texts, the person's first."""
    lines = chunk.theirs.endswith(b"\n") and chunk.mine and not chunk.mine.endswith(b"\n")
    return chunk.mine + (b"\n" if lines else b"") + chunk.theirs


def _changes(old: bytes, new: bytes) -> spans.Changes:
    """The changes from one version to another, each as small as a line or a value."""
    fine: list[spans.Change] = []
    for change in spans.difference(old, new):
        for part in _parts_of(old, change):
            if not fine or part[0] >= fine[-1][1]:
                fine.append(part)
            else:  # Both were extended to the line that they share.
                return widened(old, spans.difference(old, new))
    return widened(old, tuple(fine))


def _parts_of(old: bytes, change: spans.Change) -> list[spans.Change]:
    """A change cut at the lines that both of its texts have; in one long line, at the words."""
    start, end, text = change
    token = _LINE if b"\n" in old[start:end] or b"\n" in text else _WORD
    if token is _WORD and max(end - start, len(text)) <= LONGEST_LINE:
        return [change]
    if token is _LINE:
        start, end, text = _whole_lines(old, change)
    before, after = token.findall(old[start:end]), token.findall(text)
    if not before or not after or len(before) * len(after) > MAX_WORDS:
        return [change]
    starts = [start, *accumulate(map(len, before), initial=start)][1:]
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    found: list[spans.Change] = []
    for kind, first, last, low, high in matcher.get_opcodes():
        if kind == "replace" and token is _LINE and last - first == high - low:
            pairs = zip(range(first, last), after[low:high], strict=True)
            found += [(starts[at], starts[at + 1], line) for at, line in pairs]
        elif kind != "equal":
            found.append((starts[first], starts[last], b"".join(after[low:high])))
    return found


def _whole_lines(old: bytes, change: spans.Change) -> spans.Change:
    start, end, text = change
    first = old.rfind(b"\n", 0, start) + 1
    found = old.find(b"\n", end)
    last = len(old) if found < 0 else found + 1
    return first, last, old[first:start] + text + old[end:last]


def _pieces(old: bytes, own: spans.Changes, others: spans.Changes) -> list[Piece]:
    """The file cut at groups of changes that touch. A group of one side is merged."""
    parts: list[Piece] = []
    at, line = 0, 1
    for start, end, mine, theirs in _groups(old, own, others):
        texts = [_applied(old, start, end, side) for side in (mine, theirs)]
        kept = old[at:start]
        line += kept.count(b"\n")
        parts.append(kept)
        if not mine or not theirs or texts[0] == texts[1]:
            parts.append(texts[0] if mine else texts[1])
        else:
            base = old[start:end]
            parts.append(Chunk(line=line, base=base, mine=texts[0], theirs=texts[1]))
        line += texts[0].count(b"\n")
        at = end
    parts.append(old[at:])
    return [part for part in parts if part != b""]


Group = tuple[int, int, list[spans.Change], list[spans.Change]]


def _groups(old: bytes, own: spans.Changes, others: spans.Changes) -> list[Group]:
    """Changes that touch, by place; those of both sides are extended to whole lines where no
    further change is in these lines."""
    tagged = sorted(
        [*((one, 0) for one in own), *((one, 1) for one in others)], key=lambda pair: pair[0][:2]
    )
    groups: list[Group] = []
    for change, side in tagged:
        if groups and _meet(groups[-1], change):
            start, end, mine, theirs = groups[-1]
            (theirs if side else mine).append(change)
            groups[-1] = (start, max(end, change[1]), mine, theirs)
        else:
            groups.append(
                (change[0], change[1], [] if side else [change], [change] if side else [])
            )
    return [_with_lines(old, groups, number) for number in range(len(groups))]


def _meet(group: Group, change: spans.Change) -> bool:
    """True if a change overlaps a group, or if one of them is an insertion at the other."""
    first, last, *_ = group
    start, end, _ = change
    return start < last or (start == last and (start == end or first == last))


def _with_lines(old: bytes, groups: list[Group], number: int) -> Group:
    start, end, mine, theirs = groups[number]
    if not mine or not theirs:
        return groups[number]
    first = old.rfind(b"\n", 0, start) + 1
    found = old.find(b"\n", end)
    last = len(old) if found < 0 else found + 1
    if end > start and old[end - 1 : end] == b"\n":
        last = end
    before = groups[number - 1][1] if number else 0
    after = groups[number + 1][0] if number + 1 < len(groups) else len(old)
    if start - first > LONGEST_LINE or last - end > LONGEST_LINE or first < before or last > after:
        return groups[number]
    return first, last, mine, theirs


def _applied(old: bytes, start: int, end: int, changes: list[spans.Change]) -> bytes:
    moved = [(one - start, two - start, text) for one, two, text in changes]
    return spans.apply(old[start:end], tuple(moved))
