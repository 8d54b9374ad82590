"""The published versions of the format, each with its schema, told from our one annotated schema.

Three marks in schemas/*.json say how older versions differ. `x-since` names the version that
brought a property in, `x-gaps` later ones that lacked it all the same, and `x-was` holds what else
was different: a list of `{"in": [versions], …}` or `{"before": version, …}` whose other keywords
take the place of today's, `null` for none. Versions 1.1 and 1.3 were corrected after 1.2 had come
out, which is why 1.2 is in places the odd one out (promptpack.md 1.1).
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
    """A field of a pack that a version does not know, and the version that brought it in."""

    pointer: Pointer
    since: str


def version_key(version: str) -> tuple[int, ...]:
    """Versions in order: "1.10" after "1.9", and "1.3.0" the same as "1.3"."""
    numbers = [int(part) for part in version.split(".") if part.isdigit()]
    while len(numbers) > 2 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def normalize_version(version: str) -> str:
    """The version as we write it. Raises ValueError for one that was never published."""
    for each in VERSIONS:
        if version_key(each) == version_key(version):
            return each
    raise ValueError(f"There is no version {version!r} of the format; see {', '.join(VERSIONS)}.")


@cache
def schema_for(version: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a pack in this version. Raises ValueError for an unknown one."""
    wanted = normalize_version(version)
    told = {name: _as_of(item, wanted) for name, item in definitions().items()}
    return {"$schema": SCHEMA, "$ref": "#/$defs/Pack", "$defs": told}


def _as_of(schema: Any, version: str) -> Any:
    """A schema, or a piece of one, as it was in a version."""
    if isinstance(schema, list):
        return [_as_of(item, version) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    told = {
        key: _properties(item, version) if key == "properties" else _as_of(item, version)
        for key, item in schema.items()
        if key not in MARKS
    }
    for change in schema.get("x-was", ()):
        if _applies(change, version):
            told.update({key: item for key, item in change.items() if key not in ("in", "before")})
    return {key: item for key, item in told.items() if item is not None}


def _properties(members: Mapping[str, Any], version: str) -> dict[str, Any]:
    return {name: _as_of(item, version) for name, item in members.items() if has(item, version)}


def _applies(change: Mapping[str, Any], version: str) -> bool:
    if "before" in change:
        return version_key(version) < version_key(change["before"])
    return version in change["in"]


def has(schema: Mapping[str, Any], version: str) -> bool:
    """Whether a version knows the property that this schema describes."""
    if version in schema.get("x-gaps", ()):
        return False
    return version_key(version) >= version_key(schema.get("x-since", VERSIONS[0]))


@cache
def validator_for(version: str) -> jsonschema_rs.Draft202012Validator:
    """A compiled check of whole packs in one version."""
    return jsonschema_rs.Draft202012Validator(schema_for(version))


def accepts(version: str, tree: Any) -> bool:
    """Whether a pack is well formed in this version."""
    return bool(validator_for(version).is_valid(tree))


def oldest_version(tree: Any) -> str:
    """The oldest version that accepts this pack, "" where none does."""
    return next((version for version in VERSIONS if accepts(version, tree)), "")


def describe_versions(tree: Any) -> str:
    """The versions that accept a pack, in words, and from which one on all of it has a meaning."""
    first = oldest_version(tree)
    if not first:
        return "none accepts it as it is"
    after = VERSIONS[VERSIONS.index(first) :]
    refused = [version for version in after if not accepts(version, tree)]
    said = f"{first} or newer" if first != NEWEST else first
    said += f", but not {', '.join(refused)}" if refused else ""
    newest, pointer = newest_field(tree)
    if version_key(newest) > version_key(first):
        said += f"; {pointer[-1]} has a meaning from {newest} on"
    return said


def named_version(tree: Any) -> str:
    """The version that a pack's `$schema` names, "" where it names none that was published."""
    address = tree.get("$schema") if isinstance(tree, Mapping) else None
    found = _NAMED.search(address) if isinstance(address, str) else None
    try:
        return normalize_version(found[1]) if found else ""
    except ValueError:
        return ""


def with_version(address: str, version: str) -> str:
    """The address of a schema with the version in it changed, so far as it names one."""
    return re.sub(r"/(?:v\d+(?:\.\d+)*|latest)/", f"/v{version}/", address, count=1)


def newest_field(tree: Any) -> tuple[str, Pointer]:
    """The version that brought in the newest field of this pack, and that field. ("1.0", ()) for
    a pack without anything newer."""
    newest: tuple[str, Pointer] = (VERSIONS[0], ())
    for pointer, schema in _marked(_pack(), tree, ()):
        if version_key(schema["x-since"]) > version_key(newest[0]):
            newest = (schema["x-since"], pointer)
    return newest


def missing_fields(version: str, tree: Any) -> Iterator[MissingField]:
    """Every field of a pack that a version does not know; what is inside of one is not named."""
    outer: Pointer | None = None
    for pointer, schema in _marked(_pack(), tree, ()):
        if outer is not None and pointer[: len(outer)] == outer:
            continue
        if not has(schema, version):
            outer = pointer
            yield MissingField(pointer=pointer, since=schema["x-since"])


def _pack() -> dict[str, Any]:
    return resolve({"$ref": "#/$defs/Pack"})


def _marked(
    schema: Mapping[str, Any], value: Any, pointer: Pointer
) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """Every field of a value that is newer than 1.0, outer ones first."""
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
"""By identity: the definitions live as long as the process, and their parts are not hashable."""


def _plan(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """A schema with its reference followed; None where nothing in it is newer than 1.0."""
    if id(schema) not in _PLANS:
        plan = resolve(schema)
        _PLANS[id(schema)] = plan if _has_since(plan, frozenset()) else None
    return _PLANS[id(schema)]


def _has_since(schema: Any, seen: frozenset[str]) -> bool:
    if isinstance(schema, Mapping):
        if "x-since" in schema:
            return True
        reference = schema.get("$ref")
        if isinstance(reference, str):
            if reference in seen:
                return False
            target = definitions()[reference.rsplit("/", 1)[-1]]
            return _has_since(target, seen | {reference})
        return any(_has_since(item, seen) for item in schema.values())
    return isinstance(schema, list) and any(_has_since(item, seen) for item in schema)
