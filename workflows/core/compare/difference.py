"""What two versions of a pack have different in meaning: states, transitions, objects, fields.

Found from the drawings and from the files that differ, so it costs what differs. No value is lost:
what no element speaks of stands under its file.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workflows.core.compare.candidates import suspects
from workflows.core.compare.elements import compared, state_drawings
from workflows.core.compare.files import (
    FileChange,
    Spoken,
    exchanged,
    file_changes,
    known_places,
    unspoken,
)
from workflows.core.compare.json_values import ABSENT, FieldChange, Renames
from workflows.core.compare.renames import object_look, renamed, state_look
from workflows.core.compare.transitions import ArrowChanges, arrow_changes
from workflows.core.compare.version import Side, sides
from workflows.core.dialects.base import Dialect
from workflows.core.text.json.pointer import pointer_of

MAX_COMPARED = 400
"""With more objects that came or went than this, renames among them are not looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What became of the things of one sort. `renamed` are pairs of old and new name."""

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
    """A marked way in that leads elsewhere; None where there is none."""

    key: str
    was: str | None
    now: str | None

    def as_field(self) -> FieldChange:
        """The same as the change of a value."""
        was = ABSENT if self.was is None else self.was
        return FieldChange(pointer=(), was=was, now=ABSENT if self.now is None else self.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementChange:
    """What differs in one element that stands on both sides, under its new name.

    `drawing` is what the canvas shows otherwise: field of the graph → was, now.
    """

    element: str
    drawing: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    fields: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What turns one version into the other, newer names first.

    `transitions.renamed` are arrows that lead elsewhere or carry another label; arrows that only
    follow a renamed state are not listed. `reformatted` files mean what they meant: whitespace,
    key order and spelling alone differ, which is no difference.
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
        added, removed, changed. A `was` or `now` that is missing was or is not there. `pointer` is
        a JSON pointer into the values of the element's form, or into the file.
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


def difference(dialect: Dialect, before_source: Any, after_source: Any, profile: str) -> Difference:
    """What differs in meaning between two readable sources of one dialect."""
    if before_source.main == after_source.main and before_source.files == after_source.files:
        return Difference(dialect=dialect.name, profile=profile)
    before, after = sides(dialect, before_source, after_source, profile)
    states = _states(before, after)
    objects = _objects(before, after, states)
    renames = dict((*_keys(objects.renamed), *states.renamed))
    files = file_changes(before, after, renames)
    arrows = arrow_changes(before, after, dict(states.renamed))
    entries = _entries(before, after, dict(states.renamed))
    spoken = _spoken(before, after, states, objects, arrows)
    elements = _elements(before, after, files, renames, _old_names(states, objects), spoken)
    elements = tuple(_without(entries, one) for one in elements)
    elements = tuple(one for one in elements if one.drawing or one.fields)
    spoken.values.update(exchanged(entry.as_field()) for entry in entries)
    stand = {one.element for one in elements}
    return Difference(
        dialect=dialect.name,
        profile=profile,
        states=replace(states, changed=tuple(id for id in after.states if f"state:{id}" in stand)),
        transitions=Changes(
            added=tuple(arrow.id for arrow in arrows.added),
            removed=tuple(arrow.id for arrow in arrows.removed),
            renamed=tuple((was.id, now.id) for was, now in arrows.moved),
            changed=tuple(arrows.redrawn),
        ),
        objects=replace(objects, changed=tuple(one for one in after.objects if one in stand)),
        entries=entries,
        elements=(
            *elements,
            *(
                ElementChange(element=f"transition:{id}", drawing=drawing)
                for id, drawing in arrows.redrawn.items()
            ),
        ),
        files=tuple(unspoken(files, spoken)),
        reformatted=tuple(file.path for file in files if file.reformatted),
    )


def _states(before: Side, after: Side) -> Changes:
    moved = before.states.keys() ^ after.states.keys()
    names = frozenset(moved)
    return _came_and_went(
        tuple(before.states),
        tuple(after.states),
        state_look(before, names),
        state_look(after, names),
    )


def _objects(before: Side, after: Side, states: Changes) -> Changes:
    old, new = before.objects, after.objects
    moved = [one.partition(":")[2] for one in {*old} ^ {*new}]
    drawn = [*states.added, *states.removed, *(id for pair in states.renamed for id in pair)]
    names = frozenset([*moved, *drawn])
    if len(moved) > MAX_COMPARED:
        return Changes(added=_missing(new, old), removed=_missing(old, new))
    return _came_and_went(old, new, object_look(before, names), object_look(after, names))


def _came_and_went(
    old: tuple[str, ...],
    new: tuple[str, ...],
    look_before: Callable[[str], Hashable],
    look_after: Callable[[str], Hashable],
) -> Changes:
    gone, come = _missing(old, new), _missing(new, old)
    names = renamed(gone, come, look_before, look_after)
    return Changes(
        added=_missing(come, tuple(names.values())),
        removed=_missing(gone, tuple(names)),
        renamed=tuple(names.items()),
    )


def _missing(these: tuple[str, ...], there: tuple[str, ...]) -> tuple[str, ...]:
    known = set(there)
    return tuple(one for one in these if one not in known)


def _keys(elements: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for was, now in elements:
        yield was.partition(":")[2], now.partition(":")[2]


def _old_names(states: Changes, objects: Changes) -> dict[str, str]:
    """Newer id or element → older one."""
    found = {now: was for was, now in objects.renamed}
    found.update({now: was for was, now in states.renamed})
    found.update({f"state:{now}": f"state:{was}" for was, now in states.renamed})
    return found


def _entries(before: Side, after: Side, renames: Renames) -> tuple[EntryChange, ...]:
    old = {e.key: renames.get(e.state, e.state) for e in before.graph.entries}
    new = {e.key: e.state for e in after.graph.entries}
    return tuple(
        EntryChange(key=key, was=old.get(key), now=new.get(key))
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
    )


def _spoken(
    before: Side, after: Side, states: Changes, objects: Changes, arrows: ArrowChanges
) -> Spoken:
    """Places and names of everything that came, went or leads elsewhere."""
    spoken = Spoken()
    drawn = [
        *(before.states[id].place for id in states.removed),
        *(before.states[id].place for id, _ in states.renamed),
        *(arrow.place for arrow in (*arrows.removed, *(was for was, _ in arrows.moved))),
    ]
    for place in drawn:
        spoken.places[before.path_in(after, place.path)].add(pointer_of(place.pointer))
    for place in (
        *(after.states[id].place for id in states.added),
        *(arrow.place for arrow in (*arrows.added, *(now for _, now in arrows.moved))),
    ):
        spoken.places[place.path].add(pointer_of(place.pointer))
    spoken.names.update((*states.added, *states.removed))
    spoken.names.update(one.partition(":")[2] for one in (*objects.added, *objects.removed))
    spoken.names.update(after.states[id].role for id in states.added)
    spoken.names.update(before.states[id].role for id in states.removed)
    spoken.names.discard("")
    return spoken


def _elements(
    before: Side,
    after: Side,
    files: list[FileChange],
    renames: Renames,
    old_names: Renames,
    spoken: Spoken,
) -> tuple[ElementChange, ...]:
    """Changed elements: states first. Each change stands at the element nearest to it."""
    looked = compared(before, after, suspects(after, files), renames, old_names)
    near = spoken.copy()
    for one in looked:
        if one.changes:
            near.places[one.path].add(one.pointer)
    drawings = state_drawings(before, after, renames, old_names)
    fields = {one.element: one.left(near) for one in looked}
    known = known_places(files)
    for one in looked:
        spoken.hears(one.path, one.pointer, one.changes, known)
        pairs = [(c.was, c.now) for c in one.changes]
        texts = [(a, b) for a, b in pairs if isinstance(a, str) and isinstance(b, str)]
        key = one.element.partition(":")[2]
        follow = [(old_names[key], key)] if key in old_names else []
        for path in one.files:
            spoken.texts[path] += [*texts, *follow]
    order = dict.fromkeys([*(f"state:{id}" for id in after.states), *after.objects])
    return tuple(
        ElementChange(
            element=element, drawing=drawings.get(element, {}), fields=fields.get(element, ())
        )
        for element in order
        if element in drawings or fields.get(element)
    )


def _without(entries: tuple[EntryChange, ...], one: ElementChange) -> ElementChange:
    """Where a pack starts is told as an entry, and not again as a field of the whole."""
    if one.element.partition(":")[2]:
        return one
    told = {exchanged(entry.as_field()) for entry in entries}
    return replace(one, fields=tuple(f for f in one.fields if exchanged(f) not in told))
