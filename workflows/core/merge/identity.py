"""The identity of a list's elements: what makes two elements the same one in two versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SETS = frozenset({
    "adaptation", "allowed", "allowedIntents", "allowedTools", "allowed_formats", "allowed_tools",
    "availableConfigs", "blocklist", "capabilities", "customVariables", "depends_on", "disallowed",
    "edition", "enum", "features", "handoffFields", "input_modes", "labels", "members",
    "nextStages", "output_modes", "params", "patterns", "required", "requiredFields", "skills",
    "states", "supported_types", "tags", "tools", "transitions", "type", "types", "uvVariables",
    "validators", "words",
})  # fmt: skip
"""Keys of lists of names in the formats of all dialects in which no order is meant. Other lists of
texts, such as the arguments of a command, are ordered."""

NAMES = (
    ("id",), ("name",), ("key",), ("path",), ("from", "to"), ("source", "target"),
    ("from", "to", "label"), ("source", "target", "label"), ("c1", "c2", "c3"), ("validator",),
    ("$ref",), ("type",),
)  # fmt: skip
"""The fields that name an element, the first that names all elements of a list."""


def names_of(key: str, versions: Sequence[list[Any]]) -> list[list[str]] | None:
    """The name of each element in each version of the list under `key`; None for a list whose
    elements have only their place."""
    everything = [element for version in versions for element in version]
    if all(isinstance(element, str) for element in everything):
        return _unique([list(version) for version in versions]) if key in SETS else None
    if not all(isinstance(element, dict) for element in everything):
        return None
    for fields in NAMES:
        if all(isinstance(one.get(field), str) for one in everything for field in fields):
            named = [["\0".join(one[field] for field in fields) for one in v] for v in versions]
            if _unique(named) is not None:
                return named
    return None


def _unique(versions: list[list[str]]) -> list[list[str]] | None:
    return versions if all(len(set(one)) == len(one) for one in versions) else None


def merged_order(base: list[str], mine: list[str], theirs: list[str]) -> tuple[list[str], bool]:
    """All names of both sides in order, and True if both sides changed the order of the common
    ones differently. New names follow the one that they follow on their side, ours first."""
    old, shared = set(base), set(base) & set(mine) & set(theirs)
    common, ours, others = (
        [name for name in order if name in shared] for order in (base, mine, theirs)
    )
    if ours == common != others:
        return _with_new(theirs, mine, frozenset()), False
    new = frozenset(name for name in mine if name not in old)
    return _with_new(mine, theirs, new), common != ours != others != common


def _with_new(order: list[str], other: list[str], before: frozenset[str]) -> list[str]:
    """The order with the names of another one. At one place, the names `before` stay first."""
    result = list(order)
    present = set(order)
    last: str | None = None
    for name in other:
        if name not in present:
            place = 0 if last is None else result.index(last) + 1
            while place < len(result) and result[place] in before:
                place += 1
            result.insert(place, name)
            present.add(name)
        last = name
    return result
