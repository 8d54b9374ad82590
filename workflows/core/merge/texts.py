"""Three-way merges of texts by lines, and of a line that both sides changed by its clauses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from workflows.core.merge.sequences import regions

Decide = Callable[[int, str, str, str], str]
"""The text for a place that both sides changed: its first line in mine, from 0, and the common
version, mine and theirs."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_CLAUSE_END = re.compile(r"[.!?;:,]\s+")


def merged_text(base: str, mine: str, theirs: str, decide: Decide) -> str:
    """The text with both sides' changes."""
    old, own, other = (_LINE.findall(text) for text in (base, mine, theirs))
    parts: list[str] = []
    for one in regions(old, own, other):
        texts = old[one.base], own[one.mine], other[one.theirs]
        if not one.touched or texts[1] == texts[2]:
            parts += texts[2] if one.touched or not one.mine_changed else texts[1]
        elif len({len(text) for text in texts}) == 1:
            lines = zip(*texts, strict=True)
            parts += [
                _merged_line(one.mine.start + n, *line, decide) for n, line in enumerate(lines)
            ]
        else:
            parts.append(decide(one.mine.start, *map("".join, texts)))
    return "".join(parts)


def _merged_line(at: int, base: str, mine: str, theirs: str, decide: Decide) -> str:
    if mine in (base, theirs):
        return theirs
    if theirs == base:
        return mine
    old, own, other = map(_clauses, (base, mine, theirs))
    parts: list[str] = []
    for one in regions(old, own, other):
        ours, others = own[one.mine], other[one.theirs]
        if one.touched and ours != others:
            return decide(at, base, mine, theirs)
        parts += ours if one.mine_changed else others
    return "".join(parts)


def _clauses(text: str) -> list[str]:
    """The parts of a line, each with the punctuation and the space at its end."""
    ends = [0, *(match.end() for match in _CLAUSE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends) if start < end]


def marked(mine: str, theirs: str, *, size: int = 7) -> str:
    """Two resolutions of one merge as one text, with git's markers at their differences."""
    own, other = _LINE.findall(mine), _LINE.findall(theirs)
    parts: list[str] = []
    for one in regions(own, own, other):
        if own[one.mine] == other[one.theirs]:
            parts += own[one.mine]
            continue
        parts += [f"{'<' * size} ours\n", *_ended(own[one.mine]), f"{'=' * size}\n"]
        parts += [*_ended(other[one.theirs]), f"{'>' * size} theirs\n"]
    return "".join(parts)


def _ended(lines: Sequence[str]) -> list[str]:
    return [line if line.endswith("\n") else line + "\n" for line in lines]
