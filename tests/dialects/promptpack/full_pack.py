"""A pack with every field of the format, reduced to a version's fields, and damaged copies of
it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import Any

from tests.support.corpus import SHIPPED
from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.dialects.promptpack.schemas.versions import missing_fields, version_key

FULL_PACK = SHIPPED / "promptpack/own/full.pack.json"
OTHER_VALUES: tuple[Any, ...] = (
    None, True, 0, -3, 1.5, 7, "", "Odd Word!", "a", [], [1], ["a"], {}, {"x": 1},
)  # fmt: skip


def full_pack() -> Any:
    return json.loads(FULL_PACK.read_text(encoding="utf-8"))


def full_pack_of(version: str) -> Any:
    """The same pack without the fields that this version does not have."""
    tree = full_pack()
    for lack in reversed(list(missing_fields(version, tree))):
        *path, last = lack.pointer
        del at(tree, tuple(path))[last]
    if version_key(version) < (1, 8, 1):
        for composition in tree.get("compositions", {}).values():
            composition["steps"] = [s for s in composition["steps"] if "." not in s["kind"]]
    if version_key(version) < (1, 5) and "workflow" in tree:
        del tree["workflow"]["states"]["c"]
    if version == "1.2":
        del tree["prompts"]["a"]["media"]
    return tree


def at(tree: Any, pointer: Pointer) -> Any:
    for key in pointer:
        tree = tree[key]
    return tree


def places(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Every place in a tree with its value, outer ones first."""
    yield pointer, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*pointer, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*pointer, index))


def damaged(tree: Any, every: int, first: int) -> Iterator[tuple[str, Any]]:
    """A sample of the single changes to a tree: every `every`-th one, starting at `first`."""
    for name, pointer, value in islice(_changes(tree), first, None, every):
        yield name, _changed(tree, pointer, value)


def _changes(tree: Any) -> Iterator[tuple[str, Pointer, Any]]:
    """A replaced value, an added member and a removed member at every place."""
    for pointer, value in places(tree):
        name = "/".join(map(str, pointer))
        for other in OTHER_VALUES if pointer else ():
            yield f"{name} = {other!r}", pointer, other
        if isinstance(value, dict):
            yield f"{name} + odd", (*pointer, "odd"), 1
            for key in value:
                fewer = {name: item for name, item in value.items() if name != key}
                yield f"{name} - {key}", pointer, fewer
        elif isinstance(value, list):
            yield f"{name} + 1", pointer, [*value, 1]
            yield f"{name} twice", pointer, [*value, *value[:1]]


def _changed(tree: Any, pointer: Pointer, value: Any) -> Any:
    if not pointer:
        return value
    copy = deepcopy(tree)
    at(copy, pointer[:-1])[pointer[-1]] = value
    return copy
