"""The elements that may differ: those whose tree differs, and those that name a changed value.

Comparing every form of a large pack would cost seconds. A change that this misses is reported
under its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from workflows.core.compare.files import FileChange, parts_of
from workflows.core.compare.json_values import ABSENT
from workflows.core.compare.version import Version
from workflows.core.pack.graph import State
from workflows.core.text.json.pointer import Pointer, pointer_text

MAX_NAME_LENGTH = 400


@dataclass(kw_only=True)
class ChangedPlaces:
    """The places of differences, and the names on the path to them."""

    above: set[str] = field(default_factory=set)
    """Pointers at or above a difference, prefixed with the path of their file."""
    words: set[str] = field(default_factory=set)
    apart: set[str] = field(default_factory=set)
    """The names on the path to differences outside of states, to which a state may refer."""


def candidates(side: Version, files: Iterable[FileChange]) -> list[str]:
    """Elements of the newer version to compare, in the order of graph and outline."""
    touched = _changed_places(side, list(files))
    return [
        *(state.element for state in side.graph.states if _state_can_differ(side, state, touched)),
        *(one for one in side.objects if _object_can_differ(one, touched)),
    ]


def _state_can_differ(side: Version, state: State, touched: ChangedPlaces) -> bool:
    place = state.place
    if f"{place.path}#{place.pointer}" in touched.above or state.role in touched.apart:
        return True
    return bool(touched.apart) and _names_any(side.tree(state), touched.apart)


def _object_can_differ(element: str, touched: ChangedPlaces) -> bool:
    key = element.partition(":")[2]
    return not key or key in touched.words


def _names_any(tree: Any, words: set[str]) -> bool:
    match tree:
        case str():
            return tree in words
        case dict():
            return any(_names_any(item, words) for item in tree.values())
        case list():
            return any(_names_any(item, words) for item in tree)
    return False


def _changed_places(side: Version, files: list[FileChange]) -> ChangedPlaces:
    touched = ChangedPlaces()
    drawn = {f"{state.place.path}#{state.place.pointer}" for state in side.graph.states}
    for file in files:
        if not file.json:
            touched.apart.update(parts_of(file.path))
        for change in file.fields if file.json else ():
            above = [
                f"{file.path}#{pointer_text(change.pointer[:size])}"
                for size in range(len(change.pointer) + 1)
            ]
            touched.above.update(above)
            words = set(_words(side.document(file.path), change.pointer))
            for value in (change.was, change.now):
                if value is not ABSENT:
                    words.update(_texts_in(value, 2))
            touched.words |= words
            if drawn.isdisjoint(above):
                touched.apart |= words
    touched.words |= touched.apart
    return touched


def _words(document: Any, pointer: Pointer) -> Iterator[str]:
    """The keys on the path; for a member of a list, the names in it."""
    for key in pointer:
        if isinstance(document, dict):
            document = document.get(str(key))
            yield str(key)
        elif isinstance(document, list) and isinstance(key, int) and key < len(document):
            document = document[key]
            yield from _texts_in(document, 1)


def _texts_in(value: Any, depth: int) -> Iterator[str]:
    match value:
        case str() if len(value) <= MAX_NAME_LENGTH:
            yield value
        case dict() if depth:
            for key, item in value.items():
                yield key
                yield from _texts_in(item, depth - 1)
        case list() if depth:
            for item in value:
                yield from _texts_in(item, depth - 1)
