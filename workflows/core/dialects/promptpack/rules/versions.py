"""Rules about the format version that a pack names in `$schema`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix
from workflows.core.dialects.promptpack.rules.shape import describe_place
from workflows.core.dialects.promptpack.schemas.versions import (
    NEWEST,
    VERSIONS,
    accepts,
    missing_fields,
    named_version,
    oldest_version,
)
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.rules.kit import Note
from workflows.core.text.tolerant import as_str

HERE = ("$schema",)
_NUMBERED = re.compile(r"/(v?\d+\.\d[^/]*)/")


@pack_rule("PP120", "warning", "Pack is newer than its schema", profiles=EVERY)
def newer_than_named(parts: Parts) -> Iterable[Note]:
    """`$schema` names a version of the format that lacks a field of this pack, or does not accept
    one of its values. Tools that validate against `$schema` refuse the pack or ignore the field.
    Name a newer version or `latest`, or remove the field. The hint has the oldest version that
    accepts the pack."""
    version = named_version(parts.tree)
    if not version:
        return
    lack = next(missing_fields(version, parts.tree), None)
    if lack is not None:
        why = f"{str(lack.pointer[-1])!r} requires {lack.since}"
        hint = f"First such field: {describe_place(parts, lack.pointer)}. "
    elif accepts(NEWEST, parts.tree) and not accepts(version, parts.tree):
        why, hint = "only newer versions accept this pack", ""
    else:
        return
    first = oldest_version(parts.tree)
    yield Note(
        message=f"$schema names version {version}, but {why}.",
        pointer=HERE,
        hint=f"{hint}The oldest version that accepts this pack is {first}."
        if first
        else hint.strip(),
        fix=_latest(parts),
    )


@pack_rule("PP123", "hint", "Unpublished schema version", profiles=EVERY)
def unknown_version(parts: Parts) -> Iterable[Note]:
    """`$schema` names a version of the format that does not exist, so editors cannot fetch the
    schema. Name a published version, or `latest`."""
    match = _NUMBERED.search(as_str(parts.tree.get("$schema")))
    if match and not named_version(parts.tree):
        yield Note(
            message=f"$schema names version {match[1]!r}, which was never published.",
            pointer=HERE,
            hint=f"Published versions: {VERSIONS[0]} to {NEWEST}. This pack needs "
            f"{oldest_version(parts.tree) or 'repairs first'}.",
            fix=_latest(parts),
        )


def _latest(parts: Parts) -> Fix:
    fresh = _NUMBERED.sub("/latest/", as_str(parts.tree.get("$schema")), count=1)
    return set_fix(parts, "Use the latest version", HERE, fresh)
