"""A pack without the prompts and states that every version of the format treats like another one.

`describe_versions` gives the same text for this pack as for the whole one, and it is validated in
every version after each edit. An edit shares the trees that it does not change, so the versions of
their parts are known from before. `bench.edits` measures it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

import jsonschema_rs

from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.dialects.promptpack.schemas.versions import (
    VERSIONS,
    newest_field_of,
    schema_for,
)

PARTS: Mapping[Pointer, str] = {("prompts",): "Prompt", ("workflow", "states"): "State"}
"""Maps of parts of one definition. The schema of a map limits each part alone, and the map only to
at least one part."""

Treatment: TypeAlias = tuple[frozenset[str], str]
"""The versions that accept a part, and the version that added its newest field."""

Treatments: TypeAlias = dict[tuple[Pointer, str], tuple[object, Treatment]]
"""Treatments by the place of a part, with the tree that they were computed from."""


def without_alike_parts(tree: Any, treatments: Treatments) -> Any:
    """The pack with the first of all parts that have one treatment. `treatments` keeps what is
    computed, for the next revision."""
    for pointer, definition in PARTS.items():
        parts = _at(tree, pointer)
        if isinstance(parts, dict) and len(parts) > 1:
            first: dict[Treatment, str] = {}
            for key, part in parts.items():
                first.setdefault(_treatment(pointer, key, part, definition, treatments), key)
            tree = _replaced(tree, pointer, {key: parts[key] for key in first.values()})
    return tree


def _treatment(
    pointer: Pointer, key: str, part: Any, definition: str, treatments: Treatments
) -> Treatment:
    treatment = treatments.get((pointer, key))
    if treatment is None or treatment[0] is not part:
        accepting = (version for version in VERSIONS if _accepts(version, definition, part))
        treatment = part, (frozenset(accepting), newest_field_of(definition, part)[0])
        treatments[pointer, key] = treatment
    return treatment[1]


def _accepts(version: str, definition: str, part: Any) -> bool:
    return bool(_validator(version, definition).is_valid(part))


@cache
def _validator(version: str, definition: str) -> jsonschema_rs.Draft202012Validator:
    schema = {**schema_for(version), "$ref": f"#/$defs/{definition}"}
    return jsonschema_rs.Draft202012Validator(schema)


def _at(tree: Any, pointer: Pointer) -> Any:
    for key in pointer:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def _replaced(tree: Any, pointer: Pointer, value: Any) -> Any:
    if not pointer:
        return value
    key, *rest = pointer
    return {**tree, key: _replaced(tree[key], tuple(rest), value)}
