"""Files that differ, and the part of the difference that no element reports."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from workflows.core.compare.json_values import ABSENT, FieldChange, Renames, field_changes
from workflows.core.compare.version import Version
from workflows.core.text.json.pointer import Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file that differs. `fields` are the changed values of a JSON file, by pointer into it;
    for another text file one value, the whole text; empty for an added, removed or binary file."""

    path: str
    change: Literal["added", "removed", "changed"]
    fields: tuple[FieldChange, ...] = ()
    json: bool = False
    reformatted: bool = False
    """True if only whitespace, key order and spelling differ."""

    def to_json(self) -> dict[str, object]:
        return {
            "path": self.path,
            "change": self.change,
            "fields": [change.to_json() for change in self.fields],
        }


def file_changes(before: Version, after: Version, renames: Renames) -> list[FileChange]:
    """Every file with different bytes, by its newer path."""
    old = {before.path_in(after, path): path for path in before.source.files}
    changes = []
    for path in sorted({*old, *after.source.files}):
        was = before.source.files.get(old[path]) if path in old else None
        now = after.source.files.get(path)
        if was == now:
            continue
        if was is None or now is None:
            changes.append(FileChange(path=path, change="added" if was is None else "removed"))
            continue
        trees = before.document(old[path]), after.document(path)
        if trees[0] is not None and trees[1] is not None:
            changes.append(_of_json(path, *trees, renames))
        else:
            changes.append(FileChange(path=path, change="changed", fields=_texts(was, now)))
    return changes


def _of_json(path: str, was: Any, now: Any, renames: Renames) -> FileChange:
    fields = field_changes(was, now, renames)
    return FileChange(
        path=path,
        change="changed",
        fields=fields,
        json=True,
        reformatted=not fields and not field_changes(was, now, {}),
    )


def _texts(was: bytes, now: bytes) -> tuple[FieldChange, ...]:
    try:
        return (FieldChange(pointer=(), was=was.decode(), now=now.decode()),)
    except UnicodeDecodeError:
        return ()


Known: TypeAlias = set[tuple[str, Pointer]]


@dataclass(kw_only=True)
class Explained:
    """Changes that are reported already: places by path, values, names."""

    places: dict[str, set[Pointer]] = field(default_factory=lambda: defaultdict(set))
    exact: set[tuple[str, Pointer]] = field(default_factory=set)
    """Changed values that are reported at their own place."""
    values: Counter[str] = field(default_factory=Counter)
    """Reported changes of values outside of their element, with their number."""
    texts: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    """Old and new texts of elements, by the path of their file."""
    names: set[str] = field(default_factory=set)

    def covers(self, path: str, pointer: Pointer, value: Any, deeper: int = 0) -> bool:
        """True if a reported place with a pointer longer than `deeper` contains the whole value."""
        places = self.places.get(path)
        if not places:
            return False
        pointer = plain(pointer)
        if any(pointer[:size] in places for size in range(deeper + 1, len(pointer) + 1)):
            return True
        inside: Iterable[tuple[str | int, Any]] = ()
        if isinstance(value, dict):
            inside = value.items()
        members = [self.covers(path, (*pointer, key), item, deeper) for key, item in inside]
        return bool(members) and all(members)

    def copy(self) -> Explained:
        """A copy of the places."""
        result = Explained()
        for path, places in self.places.items():
            result.places[path] |= places
        return result

    def add_changes(
        self, path: str, pointer: Pointer, changes: Iterable[FieldChange], places: Known
    ) -> None:
        """Add the changes that are reported for the element at this place."""
        for change in changes:
            place = (path, plain((*pointer, *change.pointer)))
            if place in places:
                self.exact.add(place)
            else:
                self.values[change_key(change)] += 1


def plain(pointer: Pointer) -> Pointer:
    """The pointer with its indexes as text."""
    return tuple(map(str, pointer))


def known_places(changes: Iterable[FileChange]) -> Known:
    """Every place in a JSON file where a value differs."""
    return {(one.path, plain(change.pointer)) for one in changes for change in one.fields}


def change_key(change: FieldChange) -> str:
    """A text that is equal for equal pairs of values, regardless of their place."""
    both = [None if value is ABSENT else [value] for value in (change.was, change.now)]
    return json.dumps(both, sort_keys=True)


def unexplained(changes: Iterable[FileChange], explained: Explained) -> Iterator[FileChange]:
    """The file changes that no element reports."""
    for change in changes:
        if change.reformatted or explained.names & set(parts_of(change.path)):
            continue
        if change.json:
            fields = tuple(
                one for one in change.fields if not _is_reported(change.path, one, explained)
            )
            if fields:
                yield replace(change, fields=fields)
        elif not _is_explained(change, explained):
            yield change


def _is_reported(path: str, one: FieldChange, explained: Explained) -> bool:
    value = one.now if one.was is ABSENT else one.was
    if (
        (path, plain(one.pointer)) in explained.exact
        or not explained.names.isdisjoint(map(str, one.pointer))
        or explained.covers(path, one.pointer, value)
    ):
        return True
    key = change_key(one)
    explained.values[key] -= 1
    return explained.values[key] >= 0


def _is_explained(change: FileChange, explained: Explained) -> bool:
    """True if the changed texts of elements account for the whole change of the file."""
    for one in change.fields:
        text = str(one.was)
        for was, now in explained.texts.get(change.path, ()):
            text = text.replace(was, now) if was else text
        if text == one.now:
            return True
    return False


def parts_of(path: str) -> Iterator[str]:
    """The path, and every sequence of two or more of its parts."""
    parts = path.split("/")
    for start in range(len(parts)):
        for end in range(start + 2, len(parts) + 1):
            yield "/".join(parts[start:end])
    yield path
