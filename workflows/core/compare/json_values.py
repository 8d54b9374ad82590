"""The differences of two JSON values by pointer, given the names that were changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from workflows.core.pack.forms import Json
from workflows.core.text.json.merge import same
from workflows.core.text.json.pointer import Pointer, pointer_text

Renames: TypeAlias = Mapping[str, str]
"""Old name → new name, of states and other objects alike."""


class Absent(Enum):
    """A missing value, in contrast to `null`."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A changed value. `pointer` is its place in the newer version, or in the older if removed."""

    pointer: Pointer
    was: Json | Absent
    now: Json | Absent

    def to_json(self) -> dict[str, object]:
        body: dict[str, object] = {"pointer": pointer_text(self.pointer)}
        if self.was is not ABSENT:
            body["was"] = self.was
        if self.now is not ABSENT:
            body["now"] = self.now
        return body


def field_changes(was: Any, now: Any, renames: Renames) -> tuple[FieldChange, ...]:
    """The outermost values that differ. Lists are compared by index only if both are lists of
    objects of the same length; otherwise a list is one value. A value that only follows a rename is
    no change."""
    changes: list[FieldChange] = []
    _walk(was, now, (), renames, changes)
    return tuple(changes)


def renamed_text(text: str, renames: Renames) -> str:
    """The new form of a text that is a renamed name, or `name.rest` with a renamed name."""
    if text in renames:
        return renames[text]
    head, dot, rest = text.rpartition(".")
    return f"{renames[head]}.{rest}" if dot and head in renames else text


def _walk(was: Any, now: Any, at: Pointer, renames: Renames, changes: list[FieldChange]) -> None:
    if was is now:
        return
    if isinstance(was, dict) and isinstance(now, dict):
        _walk_objects(was, now, at, renames, changes)
    elif _are_rows(was) and _are_rows(now) and len(was) == len(now):
        for index, (one, other) in enumerate(zip(was, now, strict=True)):
            _walk(one, other, (*at, index), renames, changes)
    elif not _equal(was, now, renames):
        changes.append(FieldChange(pointer=at, was=was, now=now))


def _walk_objects(
    was: Mapping[str, Any],
    now: Mapping[str, Any],
    at: Pointer,
    renames: Renames,
    changes: list[FieldChange],
) -> None:
    names = set()
    for key, item in was.items():
        name = key if key in now else renamed_text(key, renames)
        if name not in now or (name != key and name in was):
            changes.append(FieldChange(pointer=(*at, key), was=item, now=ABSENT))
            continue
        names.add(name)
        other = now[name]
        if type(item) is not str or type(other) is not str or item != other:
            _walk(item, other, (*at, name), renames, changes)
    if len(names) < len(now):
        changes += [
            FieldChange(pointer=(*at, key), was=ABSENT, now=item)
            for key, item in now.items()
            if key not in names
        ]


def _are_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _equal(was: Any, now: Any, renames: Renames) -> bool:
    if isinstance(was, str) and isinstance(now, str):
        return was == now or renamed_text(was, renames) == now
    if isinstance(was, list) and isinstance(now, list):
        return len(was) == len(now) and all(
            _equal(one, other, renames) for one, other in zip(was, now, strict=True)
        )
    if isinstance(was, dict) and isinstance(now, dict):
        return not field_changes(was, now, renames)
    return same(was, now)
