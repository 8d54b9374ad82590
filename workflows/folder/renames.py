"""Renames of packs on disk: which new files continue a pack whose files are gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from posixpath import dirname

SIMILAR = 0.5
"""The part of a file's bytes that must be the same, as for renames in git."""


def similarity(old: bytes, new: bytes) -> float:
    """The part of the longer text whose lines are in both texts. 1 for the same bytes."""
    if old == new:
        return 1.0
    both = Counter(old.splitlines(keepends=True)) & Counter(new.splitlines(keepends=True))
    return sum(len(line) * count for line, count in both.items()) / max(len(old), len(new))


def renamed_paths(
    old: Mapping[str, bytes], main: str, new: Mapping[str, bytes], new_main: str
) -> dict[str, str]:
    """Path → new path for each file of a pack that is now elsewhere: the main file, files that kept
    their place next to it, and files with the same bytes."""
    moved = {main: new_main}
    folder, target = dirname(main), dirname(new_main)
    fresh = {path for path in new if path not in old and path != new_main}
    for path in old:
        if path in new or path == main:
            continue
        inner = path.removeprefix(f"{folder}/") if folder else path
        placed = f"{target}/{inner}" if target else inner
        same = [placed] if placed in fresh else [to for to in fresh if new[to] == old[path]]
        if same:
            moved[path] = same[0]
            fresh.discard(same[0])
    return moved
