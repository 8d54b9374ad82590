"""Files that differ, and what of it no element speaks of."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from workflows.core.compare.json_values import ABSENT, FieldChange, Renames, field_changes
from workflows.core.compare.version import Side
from workflows.core.text.json.pointer import Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file that differs. `fields` are the values of a JSON file that differ, by pointer into
    it; of another text one value, the whole; none where it came, went or is no text."""

    path: str
    change: Literal["added", "removed", "changed"]
    fields: tuple[FieldChange, ...] = ()
    json: bool = False
    reformatted: bool = False
    """Whitespace, order of keys and spelling alone differ."""

    def to_json(self) -> dict[str, object]:
        return {
            "path": self.path,
            "change": self.change,
            "fields": [change.to_json() for change in self.fields],
        }


def file_changes(before: Side, after: Side, renames: Renames) -> list[FileChange]:
    """Every file that is not byte for byte the same, by its newer path."""
    old = {before.path_in(after, path): path for path in before.source.files}
    found = []
    for path in sorted({*old, *after.source.files}):
        was = before.source.files.get(old[path]) if path in old else None
        now = after.source.files.get(path)
        if was == now:
            continue
        if was is None or now is None:
            found.append(FileChange(path=path, change="added" if was is None else "removed"))
            continue
        trees = before.document(old[path]), after.document(path)
        if trees[0] is not None and trees[1] is not None:
            found.append(_of_json(path, *trees, renames))
        else:
            found.append(FileChange(path=path, change="changed", fields=_texts(was, now)))
    return found


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
class Spoken:
    """What is said already: places by path, values that changed, names that came and went."""

    places: dict[str, set[Pointer]] = field(default_factory=lambda: defaultdict(set))
    exact: set[tuple[str, Pointer]] = field(default_factory=set)
    """Values that are told where they stand."""
    values: Counter[str] = field(default_factory=Counter)
    """Changes told of values that stand elsewhere than their element: each explains one."""
    texts: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    """By path of the file they stand in: texts of elements that were and are."""
    names: set[str] = field(default_factory=set)

    def covers(self, path: str, pointer: Pointer, value: Any, deeper: int = 0) -> bool:
        """Whether a place that is spoken of, and is longer than `deeper`, holds all of this."""
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

    def copy(self) -> Spoken:
        """The same places, to be added to."""
        found = Spoken()
        for path, places in self.places.items():
            found.places[path] |= places
        return found

    def hears(
        self, path: str, pointer: Pointer, changes: Iterable[FieldChange], known: Known
    ) -> None:
        """Take in what is told of an element that stands there."""
        for change in changes:
            place = (path, plain((*pointer, *change.pointer)))
            if place in known:
                self.exact.add(place)
            else:
                self.values[exchanged(change)] += 1


def plain(pointer: Pointer) -> Pointer:
    """With indexes as they are written."""
    return tuple(map(str, pointer))


def known_places(changes: Iterable[FileChange]) -> Known:
    """Every place in a JSON file where a value differs."""
    return {(one.path, plain(change.pointer)) for one in changes for change in one.fields}


def exchanged(change: FieldChange) -> str:
    """A text that is the same for the same two values, wherever they stand."""
    both = [None if value is ABSENT else [value] for value in (change.was, change.now)]
    return json.dumps(both, sort_keys=True)


def unspoken(changes: Iterable[FileChange], spoken: Spoken) -> Iterator[FileChange]:
    """The files, with what no element speaks of."""
    for change in changes:
        if change.reformatted or spoken.names & _names_of(change.path):
            continue
        if change.json:
            fields = tuple(one for one in change.fields if not _is_told(change.path, one, spoken))
            if fields:
                yield replace(change, fields=fields)
        elif not _is_explained(change, spoken):
            yield change


def _is_told(path: str, one: FieldChange, spoken: Spoken) -> bool:
    value = one.now if one.was is ABSENT else one.was
    if (
        (path, plain(one.pointer)) in spoken.exact
        or not spoken.names.isdisjoint(map(str, one.pointer))
        or spoken.covers(path, one.pointer, value)
    ):
        return True
    key = exchanged(one)
    spoken.values[key] -= 1
    return spoken.values[key] >= 0


def _is_explained(change: FileChange, spoken: Spoken) -> bool:
    """Whether the texts of elements, put in for what they were, make this file what it is."""
    for one in change.fields:
        text = str(one.was)
        for was, now in spoken.texts.get(change.path, ()):
            text = text.replace(was, now) if was else text
        if text == one.now:
            return True
    return False


def _names_of(path: str) -> set[str]:
    return set(parts_of(path))


def parts_of(path: str) -> Iterator[str]:
    """The path, and every run of two or more of its folders."""
    parts = path.split("/")
    for start in range(len(parts)):
        for end in range(start + 2, len(parts) + 1):
            yield "/".join(parts[start:end])
    yield path
