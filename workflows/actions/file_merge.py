"""Three-way merges of the files of a pack, and the places that need a person's decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workflows.core.merge.files import FileMerge


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A value that both sides changed: its line in mine, both texts, the reason."""

    path: str
    line: int = 1
    value: str = ""
    yours: str = ""
    theirs: str = ""
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


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
    return _first(FileMerge(path=path, base=old, mine=mine, theirs=theirs))


def _first(merge: FileMerge) -> Place:
    for one in merge.conflicts:
        return Place(
            path=merge.path,
            line=one.line,
            value=one.value,
            yours=shown(one.mine or b""),
            theirs=shown(one.theirs or b""),
            reason=f"Both sides changed {one.name} differently.",
        )
    return Place(path=merge.path, yours=shown(merge.mine), theirs=shown(merge.theirs))


def merged_files(
    old: Mapping[str, bytes], mine: Mapping[str, bytes], theirs: Mapping[str, bytes]
) -> tuple[dict[str, bytes], tuple[Place, ...]]:
    """All files with both sides' changes, and the places that need a person's decision."""
    files: dict[str, bytes] = {}
    places: list[Place] = []
    for path in dict.fromkeys([*mine, *theirs]):
        before, ours, other = old.get(path), mine.get(path), theirs.get(path)
        result = None
        if ours == other or other == before:
            result = ours
        elif ours == before:
            result = other
        elif before is None or ours is None or other is None:
            places.append(conflict(path, before, ours, other))
        else:
            merge = FileMerge(path=path, base=before, mine=ours, theirs=other)
            result = merge.clean
            if result is None:
                places.append(_first(merge))
        if result is not None:
            files[path] = result
    return files, tuple(places)


def shown(data: bytes) -> str:
    """The beginning of a text, for a message."""
    return data[:500].decode(errors="replace").strip()
