"""Findings with one cause: which findings follow from which, and their order in a list.

A misspelled target makes steps unreachable, and an unknown intent contradicts the schema. Such
consequences go away with their cause, so they name it and follow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from workflows.core.pack.findings import LEVELS, Finding, Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """The causes of findings, as codes: consequence → causes, best first. Those of `anywhere` have
    consequences in the whole pack, those of `here` in the same element of the same file."""

    anywhere: Mapping[str, tuple[str, ...]]
    here: Mapping[str, tuple[str, ...]]
    """Also of the same element of the canvas, such as a step in the registry and in its prompt."""


UNREACHABLE = ("GR104", "GR105", "GR107", "GR108", "GR113")
"""The findings of any graph that a transition to nowhere has as consequences."""
NO_CAUSES = Causes(anywhere={}, here={})


def with_causes(findings: Iterable[Finding], causes: Causes) -> list[Finding]:
    """The findings, each consequence with the key of its cause."""
    items = list(findings)
    first: dict[str, Finding] = {}
    local: dict[tuple[str, str, str], Finding] = {}
    for one in items:
        first.setdefault(one.code, one)
        for owner in _owners(one):
            local.setdefault((one.code, *owner), one)

    def cause_of(one: Finding) -> Finding | None:
        own = (
            local.get((code, *owner))
            for code in causes.here.get(one.code, ())
            for owner in _owners(one)
        )
        far = (first.get(code) for code in causes.anywhere.get(one.code, ()))
        return next((each for each in (*own, *far) if each is not None and each is not one), None)

    def root_of(one: Finding) -> Finding:
        passed = {one.key}
        while (cause := cause_of(one)) is not None and cause.key not in passed:
            passed.add(cause.key)
            one = cause
        return one

    return [
        one if (root := root_of(one)).key == one.key else replace(one, cause=root.key)
        for one in items
    ]


def _owners(finding: Finding) -> Iterator[tuple[str, str]]:
    """The file, and the pointer of the state, validator or other named object in it; the element
    of the canvas."""
    yield finding.place.path, "/".join(finding.place.pointer.split("/")[:3])
    if finding.place.element:
        yield "", finding.place.element


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Worst first, then by file and line; consequences after their cause, which counts as bad as
    the worst of them."""
    items = sorted(findings, key=finding_order)
    levels = group_levels(items)
    leads = {one.key for one in items if not one.cause}
    below: dict[str, list[Finding]] = {}
    for one in items:
        if one.cause in leads:
            below.setdefault(one.cause, []).append(one)
    heads = [one for one in items if one.cause not in leads]
    heads.sort(key=lambda one: LEVELS.index(levels[one.key]))
    return tuple(each for one in heads for each in (one, *below.pop(one.key, ())))


def group_levels(findings: Iterable[Finding]) -> dict[str, Level]:
    """The worst level of each finding with its consequences, by the key of the finding. A
    consequence whose cause is not among the findings stands for itself."""
    items = list(findings)
    levels: dict[str, Level] = {}
    keys = {one.key for one in items}
    for one in items:
        key = one.cause if one.cause in keys else one.key
        levels[key] = min(one.level, levels.get(key, one.level), key=LEVELS.index)
    return levels


def finding_order(finding: Finding) -> tuple[int, str, int, str, str]:
    """Sort key: worst first, then by file and line."""
    place = finding.place
    return (LEVELS.index(finding.level), place.path, place.line, finding.code, finding.message)
