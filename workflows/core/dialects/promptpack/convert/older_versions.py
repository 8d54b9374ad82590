"""A pack handed out for an older version of the format, with a finding per thing it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from workflows.core.dialects.base import ExportFormat, ExportResult
from workflows.core.dialects.promptpack.format.elements import element_at
from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.dialects.promptpack.schemas import at
from workflows.core.dialects.promptpack.schemas.versions import (
    NEWEST,
    VERSIONS,
    addressed,
    lacking,
    validator_for,
    version_key,
)
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.findings import Finding, Level, one_line

MOST = 200
"""So many findings of each kind; more would help nobody."""


def make(source: PackSource, version: str) -> ExportResult:
    """The pack's own bytes, but for the version in `$schema`, where that names one.

    Nothing is left out for the sake of an older version: what it lacks is said, and the author
    decides.
    """
    text = source.json
    address = text.value.get("$schema")
    if isinstance(address, str):
        text = text.set(("$schema",), addressed(address, version))
    lacks = tuple(islice(_lacks(source, version), MOST))
    others = islice(_others(source, version), MOST)
    return ExportResult(files=source.with_text(text).files, findings=(*lacks, *others))


def _lacks(source: PackSource, version: str) -> Iterator[Finding]:
    tree = source.parts.tree
    for lack in lacking(version, tree):
        field = str(lack.pointer[-1])
        refused = at(lack.pointer[:-1], tree).get("additionalProperties") is False
        later = version_key(lack.since) < version_key(version)
        yield _finding(
            source,
            lack.pointer,
            code="PP121",
            level="error" if refused else "warning",
            message=f"Version {version} does not know {field!r}"
            + (f", though {lack.since} does." if later else f"; {lack.since} brought it in."),
            hint=f"Tools for {version} {'refuse the pack' if refused else 'pass over it'}.",
        )


def _others(source: PackSource, version: str) -> Iterator[Finding]:
    """Values that the newest version takes and this one does not, outside of what it lacks."""
    tree = source.parts.tree
    told = [lack.pointer for lack in lacking(version, tree)]
    wrong = {_place(error) for error in validator_for(NEWEST).iter_errors(tree)}
    for error in validator_for(version).iter_errors(tree):
        here = tuple(error.instance_path)
        if error.kind.name == "additionalProperties" or _place(error) in wrong:
            continue
        if any(here[: len(outer)] == outer for outer in told):
            continue
        yield _finding(
            source,
            here,
            code="PP122",
            level="error",
            message=one_line(f"Version {version} wants this otherwise: {error.message}."),
            hint="Newer versions take it as it is.",
        )


def _place(error: object) -> tuple[Pointer, str]:
    return tuple(error.instance_path), error.kind.name  # type: ignore[attr-defined]


def _finding(
    source: PackSource, pointer: Pointer, *, code: str, level: Level, message: str, hint: str
) -> Finding:
    place = source.place(*pointer, element=element_at(source.parts, pointer))
    return Finding(code=code, level=level, message=message, place=source.locate(place), hint=hint)


TARGETS = tuple(
    ExportFormat(
        name=f"promptpack-{version}",
        title=f"PromptPack {version}",
        description=f"For tools that read version {version} of the format, with what it lacks.",
        make=partial(make, version=version),
    )
    for version in reversed(VERSIONS)
)
