"""Rules over the version of the format that a pack says it is written for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Parts, word
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix
from workflows.core.dialects.promptpack.rules.shape import spoken
from workflows.core.dialects.promptpack.schemas.versions import (
    NEWEST,
    VERSIONS,
    accepts,
    lacking,
    named,
    oldest,
)
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import Note

HERE = ("$schema",)
_NUMBERED = re.compile(r"/(v?\d+\.\d+[^/]*)/")


@pack_rule("PP120", "warning", "Newer than the schema it names")
def newer_than_named(parts: Parts) -> Iterable[Note]:
    """`$schema` names a version of the format that does not know a field which this pack has, or
    does not take one of its values. Tools that go by `$schema` will refuse the pack or pass over
    the field. Name a newer version, or `latest`, or take the field out. The hint says which version
    is the oldest that accepts the pack."""
    version = named(parts.tree)
    if not version:
        return
    lack = next(lacking(version, parts.tree), None)
    if lack is not None:
        why = f"{str(lack.pointer[-1])!r} needs {lack.since}"
        hint = f"The first such field is {spoken(parts, lack.pointer)}. "
    elif accepts(NEWEST, parts.tree) and not accepts(version, parts.tree):
        why, hint = "it does not accept this pack, though newer versions do", ""
    else:
        return
    first = oldest(parts.tree)
    yield Note(
        message=f"$schema names version {version}, but {why}.",
        pointer=HERE,
        hint=f"{hint}The oldest version that accepts this pack is {first}."
        if first
        else hint.strip(),
        fix=_latest(parts),
    )


@pack_rule("PP123", "hint", "Names a version that was never published")
def unknown_version(parts: Parts) -> Iterable[Note]:
    """`$schema` names a version of the format that does not exist, so editors that fetch the schema
    find nothing and cannot help. Name a published version, or `latest`."""
    found = _NUMBERED.search(word(parts.tree.get("$schema")))
    if found and not named(parts.tree):
        yield Note(
            message=f"$schema names version {found[1]!r}, which was never published.",
            pointer=HERE,
            hint=f"Published are {VERSIONS[0]} to {NEWEST}; this pack needs "
            f"{oldest(parts.tree) or 'to be mended first'}.",
            fix=_latest(parts),
        )


def _latest(parts: Parts) -> Fix:
    fresh = _NUMBERED.sub("/latest/", word(parts.tree.get("$schema")), count=1)
    return set_fix(parts, "Name the latest version", HERE, fresh)
