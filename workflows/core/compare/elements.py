"""Field changes of elements that both versions have, each reported once, at the nearest element."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.compare.files import Explained
from workflows.core.compare.json_values import ABSENT, FieldChange, Renames, field_changes
from workflows.core.compare.renames import OTHERS
from workflows.core.compare.version import Version, wire_differences
from workflows.core.pack.forms import Form
from workflows.core.pack.graph import state_json
from workflows.core.text.json.pointer import Pointer, pointer_of

LINKED_FILE = "file:"
MAX_FORMS = 500
"""Forms of states that are compared, and as many of objects. Further states are compared by their
part of the file, and other changes are reported under their file, because comparing thousands of
forms takes too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The changes of one element."""

    element: str
    path: str
    pointer: Pointer
    changes: tuple[FieldChange, ...]
    files: tuple[str, ...]

    def unreported(self, explained: Explained) -> tuple[FieldChange, ...]:
        """The changes that no inner element reports."""
        depth = len(self.pointer)
        return tuple(
            change
            for change in self.changes
            if not explained.covers(
                self.path, (*self.pointer, *change.pointer), _there(change), depth
            )
        )


def compared(
    before: Version, after: Version, elements: Iterable[str], renames: Renames, old_names: Renames
) -> list[Compared]:
    """The changes of these elements of the newer version."""
    results = []
    forms: Counter[bool] = Counter()
    for element in elements:
        old, drawn = old_names.get(element, element), element.startswith("state:")
        forms[drawn] += 1
        look = _by_form if forms[drawn] <= MAX_FORMS else _by_tree
        one = look(before, after, old, element, renames)
        if one is not None:
            results.append(one)
    return results


def _by_form(
    before: Version, after: Version, old: str, element: str, renames: Renames
) -> Compared | None:
    was, now = before.form(old), after.form(element)
    if was is None or now is None:
        return None
    return Compared(
        element=element,
        path=now.place.path,
        pointer=pointer_of(now.place.pointer),
        changes=field_changes(_written(was), _written(now), renames),
        files=_files(now),
    )


def _by_tree(
    before: Version, after: Version, old: str, element: str, renames: Renames
) -> Compared | None:
    """A state as it is in its file, without the values that its form collects from elsewhere."""
    was = before.states.get(old.removeprefix("state:"))
    now = after.states.get(element.removeprefix("state:"))
    if was is None or now is None or not element.startswith("state:"):
        return None
    trees = before.tree(was), after.tree(now)
    if not all(isinstance(tree, dict) for tree in trees):
        return None
    return Compared(
        element=element,
        path=now.place.path,
        pointer=pointer_of(now.place.pointer),
        changes=field_changes(*trees, renames),
        files=(),
    )


def state_drawings(
    before: Version, after: Version, renames: Renames, old_names: Renames
) -> dict[str, Mapping[str, tuple[Any, Any]]]:
    """States of both versions whose drawing changed: element → field → was, now."""
    drawings: dict[str, Mapping[str, tuple[Any, Any]]] = {}
    for now in after.graph.states:
        was = before.states.get(old_names.get(now.id, now.id))
        if was is None or was == now:
            continue
        fields = wire_differences(state_json(was), state_json(now), but=tuple(OTHERS))
        fields = {
            name: pair for name, pair in fields.items() if renames.get(str(pair[0])) != pair[1]
        }
        if fields:
            drawings[now.element] = fields
    return drawings


def _files(form: Form) -> tuple[str, ...]:
    linked = (element for element, _ in form.links if element.startswith(LINKED_FILE))
    return tuple(element.removeprefix(LINKED_FILE) for element in linked)


def _written(form: Form) -> dict[str, Any]:
    """The values that are in files."""
    properties = form.schema.get("properties")
    plans = properties if isinstance(properties, Mapping) else {}
    return {
        name: value
        for name, value in form.values.items()
        if not (isinstance(plans.get(name), Mapping) and plans[name].get("x-computed"))
    }


def _there(change: FieldChange) -> Any:
    return change.now if change.was is ABSENT else change.was
