"""Export of a pack for an older version of the format, with a finding for each missing feature."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from workflows.core.dialects.base import ExportFormat, ExportResult
from workflows.core.dialects.promptpack.format.elements import element_at
from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.dialects.promptpack.schemas import definition_at
from workflows.core.dialects.promptpack.schemas.versions import (
    NEWEST,
    VERSIONS,
    missing_fields,
    validator_for,
    version_key,
    with_version,
)
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.findings import Finding, Level, one_line

MAX_FINDINGS = 200
"""Limit of findings of each kind."""


def export_version(source: PackSource, version: str) -> ExportResult:
    """The pack's bytes, with the version in `$schema` replaced if it names one.

    No field is removed: findings report the fields that the version lacks, and the author decides.
    """
    text = source.json
    address = text.value.get("$schema")
    if isinstance(address, str):
        text = text.set(("$schema",), with_version(address, version))
    lacks = tuple(islice(_missing_fields(source, version), MAX_FINDINGS))
    others = islice(_refused_values(source, version), MAX_FINDINGS)
    return ExportResult(files=source.with_text(text).files, findings=(*lacks, *others))


def _missing_fields(source: PackSource, version: str) -> Iterator[Finding]:
    tree = source.parts.tree
    for lack in missing_fields(version, tree):
        field = str(lack.pointer[-1])
        refused = definition_at(lack.pointer[:-1], tree).get("additionalProperties") is False
        later = version_key(lack.since) < version_key(version)
        yield _finding(
            source,
            lack.pointer,
            code="PP121",
            level="error" if refused else "warning",
            message=f"Version {version} has no field {field!r}"
            + (f", although {lack.since} does." if later else f"; {lack.since} added it."),
            hint=f"Tools for {version} {'refuse the pack' if refused else 'ignore it'}.",
        )


def _refused_values(source: PackSource, version: str) -> Iterator[Finding]:
    """Values that the newest version accepts and this one does not, outside of missing fields."""
    tree = source.parts.tree
    missing = [lack.pointer for lack in missing_fields(version, tree)]
    errors = {_error_key(error) for error in validator_for(NEWEST).iter_errors(tree)}
    for error in validator_for(version).iter_errors(tree):
        here = tuple(error.instance_path)
        if error.kind.name == "additionalProperties" or _error_key(error) in errors:
            continue
        if any(here[: len(outer)] == outer for outer in missing):
            continue
        yield _finding(
            source,
            here,
            code="PP122",
            level="error",
            message=one_line(f"Version {version} does not accept this value: {error.message}."),
            hint="Newer versions accept it.",
        )


def _error_key(error: object) -> tuple[Pointer, str]:
    return tuple(error.instance_path), error.kind.name  # type: ignore[attr-defined]


def _finding(
    source: PackSource, pointer: Pointer, *, code: str, level: Level, message: str, hint: str
) -> Finding:
    place = source.place(*pointer, element=element_at(source.parts, pointer))
    return Finding(code=code, level=level, message=message, place=source.locate(place), hint=hint)


EXPORTS = tuple(
    ExportFormat(
        name=f"promptpack-{version}",
        title=f"PromptPack {version}",
        description=f"For tools that read version {version}, with findings for missing fields.",
        make=partial(export_version, version=version),
    )
    for version in reversed(VERSIONS)
)
