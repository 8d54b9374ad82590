"""The semantic difference of two versions of a pack: states, transitions, objects, fields.

Computed from the graphs and from the files that differ, so that the cost depends on the size of the
difference. It is complete: a value that belongs to no element is reported under its file.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workflows.core.compare.candidates import candidates
from workflows.core.compare.elements import compared, state_drawings
from workflows.core.compare.files import (
    Explained,
    FileChange,
    change_key,
    file_changes,
    known_places,
    unexplained,
)
from workflows.core.compare.json_values import ABSENT, FieldChange, Renames
from workflows.core.compare.renames import find_renames, object_fingerprint, state_fingerprint
from workflows.core.compare.transitions import TransitionChanges, transition_changes
from workflows.core.compare.version import Version, versions
from workflows.core.dialects.base import Dialect
from workflows.core.pack.graph import Graph
from workflows.core.text.json.pointer import pointer_of

MAX_COMPARED = 400
"""Added and removed objects. If there are more, renames among them are not detected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of one kind of element. `renamed` are pairs of old and new name."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.renamed or self.changed)

    def to_json(self) -> dict[str, object]:
        return {
            "added": list(self.added),
            "removed": list(self.removed),
            "renamed": [{"was": was, "now": now} for was, now in self.renamed],
            "changed": list(self.changed),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryChange:
    """An entry with another state; None if the version has no such entry."""

    key: str
    was: str | None
    now: str | None

    def as_field(self) -> FieldChange:
        """The entry as the change of a value."""
        was = ABSENT if self.was is None else self.was
        return FieldChange(pointer=(), was=was, now=ABSENT if self.now is None else self.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementChange:
    """The changes of one element that both versions have, under its new name.

    `drawing` are the changes on the canvas: field of the graph → was, now.
    """

    element: str
    drawing: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    fields: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The changes from one version to the other, under their newer names.

    `transitions.renamed` have another target or label; transitions that only follow a renamed state
    are not listed. `reformatted` files have the same meaning: only whitespace, key order and
    spelling differ, which is no difference.
    """

    dialect: str
    profile: str
    states: Changes = Changes()
    transitions: Changes = Changes()
    objects: Changes = Changes()
    entries: tuple[EntryChange, ...] = ()
    elements: tuple[ElementChange, ...] = ()
    files: tuple[FileChange, ...] = ()
    reformatted: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        parts = (self.states, self.transitions, self.objects, self.entries, self.elements)
        return not any(parts) and not self.files

    def to_json(self) -> dict[str, object]:
        """The shape of `signalbox diff --format json`:

        `{dialect, profile, same, entries[{key,was,now}], states, transitions, objects, elements,
        files, reformatted[path]}`. `states`, `transitions` and `objects` are each `{added[],
        removed[], renamed[{was,now}], changed[]}` of state ids, transition ids (`source|label|
        target`) and elements (`prompt:review`). `elements` are `{element, drawing{name:{was,now}},
        fields[{pointer,was,now}]}`; `files` are `{path, change, fields[…]}` with `change` one of
        added, removed, changed. A missing `was` or `now` means that the value did or does not
        exist. `pointer` is a JSON pointer into the values of the element's form, or into the file.
        """
        return {
            "dialect": self.dialect,
            "profile": self.profile,
            "same": self.same,
            "entries": [{"key": e.key, "was": e.was, "now": e.now} for e in self.entries],
            "states": self.states.to_json(),
            "transitions": self.transitions.to_json(),
            "objects": self.objects.to_json(),
            "elements": [
                {
                    "element": one.element,
                    "drawing": {
                        name: {"was": was, "now": now} for name, (was, now) in one.drawing.items()
                    },
                    "fields": [change.to_json() for change in one.fields],
                }
                for one in self.elements
            ],
            "files": [one.to_json() for one in self.files],
            "reformatted": list(self.reformatted),
        }


def difference(
    dialect: Dialect,
    before_source: Any,
    after_source: Any,
    profile: str,
    graphs: tuple[Graph, Graph] | None = None,
) -> Difference:
    """The semantic difference of two readable sources of one dialect. `graphs`: theirs, if they are
    drawn already."""
    if before_source.main == after_source.main and before_source.files == after_source.files:
        return Difference(dialect=dialect.name, profile=profile)
    before, after = versions(dialect, before_source, after_source, profile, graphs)
    states = _states(before, after)
    objects = _objects(before, after, states)
    renames = dict((*_keys(objects.renamed), *states.renamed))
    files = file_changes(before, after, renames)
    transitions = transition_changes(before, after, dict(states.renamed))
    entries = _entries(before, after, dict(states.renamed))
    explained = _explained(before, after, states, objects, transitions)
    elements = _elements(before, after, files, renames, _old_names(states, objects), explained)
    elements = tuple(_without(entries, one) for one in elements)
    elements = tuple(one for one in elements if one.drawing or one.fields)
    explained.values.update(change_key(entry.as_field()) for entry in entries)
    changed = {one.element for one in elements}
    return Difference(
        dialect=dialect.name,
        profile=profile,
        states=replace(
            states, changed=tuple(id for id in after.states if f"state:{id}" in changed)
        ),
        transitions=Changes(
            added=tuple(transition.id for transition in transitions.added),
            removed=tuple(transition.id for transition in transitions.removed),
            renamed=tuple((was.id, now.id) for was, now in transitions.moved),
            changed=tuple(transitions.redrawn),
        ),
        objects=replace(objects, changed=tuple(one for one in after.objects if one in changed)),
        entries=entries,
        elements=(
            *elements,
            *(
                ElementChange(element=f"transition:{id}", drawing=drawing)
                for id, drawing in transitions.redrawn.items()
            ),
        ),
        files=tuple(unexplained(files, explained)),
        reformatted=tuple(file.path for file in files if file.reformatted),
    )


def _states(before: Version, after: Version) -> Changes:
    moved = before.states.keys() ^ after.states.keys()
    names = frozenset(moved)
    return _added_and_removed(
        tuple(before.states),
        tuple(after.states),
        state_fingerprint(before, names),
        state_fingerprint(after, names),
    )


def _objects(before: Version, after: Version, states: Changes) -> Changes:
    old, new = before.objects, after.objects
    moved = [one.partition(":")[2] for one in {*old} ^ {*new}]
    drawn = [*states.added, *states.removed, *(id for pair in states.renamed for id in pair)]
    names = frozenset([*moved, *drawn])
    if len(moved) > MAX_COMPARED:
        return Changes(added=_missing(new, old), removed=_missing(old, new))
    return _added_and_removed(
        old, new, object_fingerprint(before, names), object_fingerprint(after, names)
    )


def _added_and_removed(
    old: tuple[str, ...],
    new: tuple[str, ...],
    look_before: Callable[[str], Hashable],
    look_after: Callable[[str], Hashable],
) -> Changes:
    gone, come = _missing(old, new), _missing(new, old)
    names = find_renames(gone, come, look_before, look_after)
    return Changes(
        added=_missing(come, tuple(names.values())),
        removed=_missing(gone, tuple(names)),
        renamed=tuple(names.items()),
    )


def _missing(these: tuple[str, ...], there: tuple[str, ...]) -> tuple[str, ...]:
    others = set(there)
    return tuple(one for one in these if one not in others)


def _keys(elements: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for was, now in elements:
        yield was.partition(":")[2], now.partition(":")[2]


def _old_names(states: Changes, objects: Changes) -> dict[str, str]:
    """New id or element → old one."""
    names = {now: was for was, now in objects.renamed}
    names.update({now: was for was, now in states.renamed})
    names.update({f"state:{now}": f"state:{was}" for was, now in states.renamed})
    return names


def _entries(before: Version, after: Version, renames: Renames) -> tuple[EntryChange, ...]:
    old = {e.key: renames.get(e.state, e.state) for e in before.graph.entries}
    new = {e.key: e.state for e in after.graph.entries}
    return tuple(
        EntryChange(key=key, was=old.get(key), now=new.get(key))
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
    )


def _explained(
    before: Version,
    after: Version,
    states: Changes,
    objects: Changes,
    transitions: TransitionChanges,
) -> Explained:
    """Places and names of every added, removed or moved element."""
    explained = Explained()
    drawn = [
        *(before.states[id].place for id in states.removed),
        *(before.states[id].place for id, _ in states.renamed),
        *(
            transition.place
            for transition in (*transitions.removed, *(was for was, _ in transitions.moved))
        ),
    ]
    for place in drawn:
        explained.places[before.path_in(after, place.path)].add(pointer_of(place.pointer))
    for place in (
        *(after.states[id].place for id in states.added),
        *(
            transition.place
            for transition in (*transitions.added, *(now for _, now in transitions.moved))
        ),
    ):
        explained.places[place.path].add(pointer_of(place.pointer))
    explained.names.update((*states.added, *states.removed))
    explained.names.update(one.partition(":")[2] for one in (*objects.added, *objects.removed))
    explained.names.update(after.states[id].role for id in states.added)
    explained.names.update(before.states[id].role for id in states.removed)
    explained.names.discard("")
    return explained


def _elements(
    before: Version,
    after: Version,
    files: list[FileChange],
    renames: Renames,
    old_names: Renames,
    explained: Explained,
) -> tuple[ElementChange, ...]:
    """Changed elements, states first. Each change is reported at the nearest element."""
    looked = compared(before, after, candidates(after, files), renames, old_names)
    near = explained.copy()
    for one in looked:
        if one.changes:
            near.places[one.path].add(one.pointer)
    drawings = state_drawings(before, after, renames, old_names)
    fields = {one.element: one.unreported(near) for one in looked}
    places = known_places(files)
    for one in looked:
        explained.add_changes(one.path, one.pointer, one.changes, places)
        pairs = [(c.was, c.now) for c in one.changes]
        texts = [(a, b) for a, b in pairs if isinstance(a, str) and isinstance(b, str)]
        key = one.element.partition(":")[2]
        follow = [(old_names[key], key)] if key in old_names else []
        for path in one.files:
            explained.texts[path] += [*texts, *follow]
    order = dict.fromkeys([*(f"state:{id}" for id in after.states), *after.objects])
    return tuple(
        ElementChange(
            element=element, drawing=drawings.get(element, {}), fields=fields.get(element, ())
        )
        for element in order
        if element in drawings or fields.get(element)
    )


def _without(entries: tuple[EntryChange, ...], one: ElementChange) -> ElementChange:
    """The element without the fields that are reported as entries already."""
    if one.element.partition(":")[2]:
        return one
    keys = {change_key(entry.as_field()) for entry in entries}
    return replace(one, fields=tuple(f for f in one.fields if change_key(f) not in keys))
