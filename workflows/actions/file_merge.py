"""Three-way merges of whole files, from the byte changes of both sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.actions.rebase import carried, meeting, widened
from workflows.core.text import spans

Merge = Callable[[bytes, bytes, bytes], bytes | None]
"""A three-way merge of one file: common version, mine, theirs; None for a conflict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place that both sides changed: its line in the common version, both texts, the reason."""

    path: str
    line: int = 1
    yours: str = ""
    theirs: str = ""
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "line": self.line,
            "yours": self.yours,
            "theirs": self.theirs,
            "reason": self.reason,
        }


def merged(old: bytes, mine: bytes, theirs: bytes) -> bytes | None:
    """The text with both sides' changes; None if they changed the same value differently."""
    if mine in (old, theirs):
        return theirs
    if theirs == old:
        return mine
    others = _leftmost(old, spans.difference(old, theirs))
    own = [change for change in _leftmost(old, spans.difference(old, mine)) if change not in others]
    reaches = [_reach(old, other) for other in others]
    for change in own:
        first, last = _reach(old, change)
        if any(first <= end and start <= last for start, end in reaches):
            return None
    moved = carried(old, own, others)
    return None if moved is None else spans.apply(theirs, moved)


def _leftmost(old: bytes, changes: spans.Changes) -> list[spans.Change]:
    """The changes, each insertion or deletion at the first place where it has the same result: a
    line can be deleted with the line break before or after it."""
    moved: list[spans.Change] = []
    floor = 0
    for start, end, text in changes:
        by = 0
        if start == end:
            while by < start - floor and old[start - 1 - by] == text[-1 - by % len(text)]:
                by += 1
            turn = by % len(text)
            moved.append((start - by, end - by, text[-turn:] + text[:-turn] if turn else text))
        else:
            while not text and by < start - floor and old[start - 1 - by] == old[end - 1 - by]:
                by += 1
            moved.append((start - by, end - by, text))
        floor = end
    return moved


def _reach(old: bytes, change: spans.Change) -> tuple[int, int]:
    """The first byte of a change, and the last one to which it can be moved with the same
    result."""
    start, end, text = change
    by = 0
    if start == end:
        while end + by < len(old) and old[end + by] == text[by % len(text)]:
            by += 1
    else:
        while not text and end + by < len(old) and old[end + by] == old[start + by]:
            by += 1
    return start, end + by


def conflict(path: str, old: bytes | None, mine: bytes | None, theirs: bytes | None) -> Place:
    """The first place where two versions of a file cannot be merged. None: there is no file."""
    yours, others = shown(mine or b""), shown(theirs or b"")
    if old is None:
        reason = "Both sides have a file with this path, and no common version is known."
        return Place(path=path, yours=yours, theirs=others, reason=reason)
    if mine is None or theirs is None:
        side = "You deleted the file" if mine is None else "The repository lacks the file"
        other = "the repository changed it" if mine is None else "you changed it"
        return Place(path=path, yours=yours, theirs=others, reason=f"{side}; {other}.")
    ours = widened(old, spans.difference(old, mine))
    both = meeting(ours, widened(old, spans.difference(old, theirs)))
    if both is None:
        return Place(path=path, yours=yours, theirs=others)
    (start, _, one), (_, _, other_text) = both
    line = old.count(b"\n", 0, start) + 1
    return Place(path=path, line=line, yours=shown(one), theirs=shown(other_text))


def merged_files(
    old: Mapping[str, bytes],
    mine: Mapping[str, bytes],
    theirs: Mapping[str, bytes],
    merge: Merge,
) -> tuple[dict[str, bytes], tuple[Place, ...]]:
    """All files with both sides' changes, and the places that need a person's decision."""
    files: dict[str, bytes] = {}
    places: list[Place] = []
    for path in dict.fromkeys([*mine, *theirs]):
        before, ours, other = old.get(path), mine.get(path), theirs.get(path)
        if ours == other or other == before:
            result = ours
        elif ours == before:
            result = other
        else:
            complete = before is not None and ours is not None and other is not None
            result = merge(before, ours, other) if complete else None  # type: ignore[arg-type]
            if result is None:
                places.append(conflict(path, before, ours, other))
        if result is not None:
            files[path] = result
    return files, tuple(places)


def shown(data: bytes) -> str:
    """The beginning of a text, for a message."""
    return data[:500].decode(errors="replace").strip()
