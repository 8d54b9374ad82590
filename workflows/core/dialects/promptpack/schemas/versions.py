"""The published versions of the format, each with its schema, derived from one annotated schema.

Three marks in schemas/*.json describe the differences of older versions. `x-since` is the version
that added a property, `x-gaps` lists later versions without it, and `x-was` lists other
differences: `{"in": [versions], …}` or `{"before": version, …}`, whose other keywords replace the
current ones; `null` removes one. Versions 1.1 and 1.3 were corrected after the release of 1.2, so
1.2 differs from both in places (promptpack.md 1.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs

from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.dialects.promptpack.schemas import definitions, resolve, shape

VERSIONS = (
    "1.0", "1.1", "1.2", "1.3", "1.3.1", "1.4", "1.4.1", "1.5", "1.5.1", "1.6", "1.7", "1.8",
    "1.8.1", "1.9",
)  # fmt: skip
NEWEST = VERSIONS[-1]
FORMAT = "(version of the format)"
"""The field of the pack's form that shows the version. No pack has a member of this name."""
MARKS = ("x-since", "x-gaps", "x-was")
SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_NAMED = re.compile(r"/v(\d+\.\d+(?:\.\d+)?)/")


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingField:
    """A field of a pack that a version does not have, and the version that added it."""

    pointer: Pointer
    since: str


def version_key(version: str) -> tuple[int, ...]:
    """Sort key of a version: "1.10" is after "1.9", and "1.3.0" equals "1.3"."""
    numbers = [int(part) for part in version.split(".") if part.isdigit()]
    while len(numbers) > 2 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def normalize_version(version: str) -> str:
    """The version in its published spelling. Raises ValueError for an unpublished one."""
    for each in VERSIONS:
        if version_key(each) == version_key(version):
            return each
    raise ValueError(f"The format has no version {version!r}. Versions: {', '.join(VERSIONS)}.")


@cache
def schema_for(version: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a pack in this version. Raises ValueError for an unknown
    version."""
    wanted = normalize_version(version)
    schemas = {name: _as_of(item, wanted) for name, item in definitions().items()}
    return {"$schema": SCHEMA, "$ref": "#/$defs/Pack", "$defs": schemas}


def _as_of(schema: Any, version: str) -> Any:
    """A schema, or a part of one, in an older version."""
    if isinstance(schema, list):
        return [_as_of(item, version) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    schemas = {
        key: _properties(item, version) if key == "properties" else _as_of(item, version)
        for key, item in schema.items()
        if key not in MARKS
    }
    for change in schema.get("x-was", ()):
        if _applies(change, version):
            schemas.update(
                {key: item for key, item in change.items() if key not in ("in", "before")}
            )
    return {key: item for key, item in schemas.items() if item is not None}


def _properties(members: Mapping[str, Any], version: str) -> dict[str, Any]:
    return {name: _as_of(item, version) for name, item in members.items() if has(item, version)}


def _applies(change: Mapping[str, Any], version: str) -> bool:
    if "before" in change:
        return version_key(version) < version_key(change["before"])
    return version in change["in"]


def has(schema: Mapping[str, Any], version: str) -> bool:
    """Return True if a version has the property that this schema describes."""
    if version in schema.get("x-gaps", ()):
        return False
    return version_key(version) >= version_key(schema.get("x-since", VERSIONS[0]))


@cache
def validator_for(version: str) -> jsonschema_rs.Draft202012Validator:
    """A compiled validator of whole packs in one version."""
    return jsonschema_rs.Draft202012Validator(schema_for(version))


def accepts(version: str, tree: Any) -> bool:
    """Return True if a pack is valid in this version."""
    return bool(validator_for(version).is_valid(tree))


def oldest_version(tree: Any) -> str:
    """The oldest version that accepts this pack, "" if none does."""
    return next((version for version in VERSIONS if accepts(version, tree)), "")


def describe_versions(tree: Any) -> str:
    """The versions that accept a pack, and the version from which all of its fields are defined."""
    first = oldest_version(tree)
    if not first:
        return "no version accepts it"
    after = VERSIONS[VERSIONS.index(first) :]
    refused = [version for version in after if not accepts(version, tree)]
    text = f"{first} or newer" if first != NEWEST else first
    text += f", but not {', '.join(refused)}" if refused else ""
    newest, pointer = newest_field(tree)
    if version_key(newest) > version_key(first):
        text += f"; {pointer[-1]} is defined since {newest}"
    return text


def named_version(tree: Any) -> str:
    """The version that a pack's `$schema` names, "" if it names no published version."""
    address = tree.get("$schema") if isinstance(tree, Mapping) else None
    match = _NAMED.search(address) if isinstance(address, str) else None
    try:
        return normalize_version(match[1]) if match else ""
    except ValueError:
        return ""


def with_version(address: str, version: str) -> str:
    """The address of a schema with its version replaced, if it contains one."""
    return re.sub(r"/(?:v\d+(?:\.\d+)*|latest)/", f"/v{version}/", address, count=1)


def newest_field(tree: Any) -> tuple[str, Pointer]:
    """The newest field of this pack and the version that added it. ("1.0", ()) if all fields are in
    1.0."""
    newest: tuple[str, Pointer] = (VERSIONS[0], ())
    whole = shape(resolve({"$ref": "#/$defs/Pack"}), tree)
    for pointer, schema in _marked(whole, tree, ()):
        if version_key(schema["x-since"]) > version_key(newest[0]):
            newest = (schema["x-since"], pointer)
    return newest


def missing_fields(version: str, tree: Any) -> Iterator[MissingField]:
    """Every field of a pack that a version does not have, without fields inside such a field."""
    outer: Pointer | None = None
    for pointer, schema in _marked(resolve({"$ref": "#/$defs/Pack"}), tree, ()):
        if outer is not None and pointer[: len(outer)] == outer:
            continue
        if not has(schema, version):
            outer = pointer
            yield MissingField(pointer=pointer, since=schema["x-since"])


def _marked(
    schema: Mapping[str, Any], value: Any, pointer: Pointer
) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """Every field of a value that is newer than 1.0, outer fields first."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        for key, item in value.items():
            inner = properties.get(key, rest)
            if isinstance(inner, Mapping) and (plan := _plan(inner)) is not None:
                if "x-since" in plan:
                    yield (*pointer, key), plan
                yield from _marked(shape(plan, item), item, (*pointer, key))
    elif isinstance(value, list) and "items" in schema:
        plan = _plan(schema["items"])
        for index, item in enumerate(value if plan is not None else ()):
            yield from _marked(shape(plan or {}, item), item, (*pointer, index))


_PLANS: dict[int, dict[str, Any] | None] = {}
"""Keyed by identity: the definitions are never freed, and their parts are not hashable."""


def _plan(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """A schema with its reference resolved; None if nothing in it is newer than 1.0."""
    if id(schema) not in _PLANS:
        plan = resolve(schema)
        _PLANS[id(schema)] = plan if _has_since(plan, frozenset()) else None
    return _PLANS[id(schema)]


def _has_since(schema: Any, visited: frozenset[str]) -> bool:
    if isinstance(schema, Mapping):
        if "x-since" in schema:
            return True
        reference = schema.get("$ref")
        if isinstance(reference, str):
            if reference in visited:
                return False
            target = definitions()[reference.rsplit("/", 1)[-1]]
            return _has_since(target, visited | {reference})
        return any(_has_since(item, visited) for item in schema.values())
    return isinstance(schema, list) and any(_has_since(item, visited) for item in schema)
