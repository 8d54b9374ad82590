"""Everything there is to say about a pack: what reading found, the dialect's rules, the proofs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from workflows.core.dialects.base import Dialect, Source
from workflows.core.pack.findings import LEVELS, Finding, Level, Place, Rule
from workflows.core.pack.graph import Graph
from workflows.core.rules import RULES

BROKEN_RULE = "IN001"
"""The code of the finding that a rule leaves behind which failed itself."""

RAISE_BROKEN_RULES = False
"""Tests set this: there, a rule that fails is a failure and not a finding."""


def check(
    dialect: Dialect, source: Any, profile: str, graph: Graph | None = None
) -> tuple[Finding, ...]:
    """Every finding, worst first, then by file and line. `graph` spares drawing it twice.

    An unreadable source has only the findings of reading it.
    """
    found = list(source.findings)
    if source.readable:
        drawn = dialect.graph(source, profile) if graph is None else graph
        for each in rules_for(dialect, profile):
            found += _carried_out(each, source, drawn)
    return tuple(sorted((_located(source, finding) for finding in found), key=_order))


def rules_for(dialect: Dialect, profile: str = "") -> tuple[Rule, ...]:
    """The rules that `check` carries out for a profile ("" is all of them), each code once."""
    rules = {each.code: each for each in RULES if each.code not in dialect.covers}
    rules.update({each.code: each for each in dialect.rules()})
    return tuple(
        rules[code]
        for code in sorted(rules)
        if not profile or not rules[code].profiles or profile in rules[code].profiles
    )


def summary(findings: Iterable[Finding]) -> dict[Level, int]:
    """How many findings of each level."""
    counts: dict[Level, int] = dict.fromkeys(LEVELS, 0)
    for finding in findings:
        counts[finding.level] += 1
    return counts


def _carried_out(each: Rule, source: Any, graph: Graph) -> list[Finding]:
    """One rule's findings. A rule that fails must not take the others down."""
    try:
        return list(each.check(source, graph))
    except Exception as error:
        if RAISE_BROKEN_RULES:
            raise
        return [
            Finding(
                code=BROKEN_RULE,
                level="warning",
                message=f"Rule {each.code} ({each.title}) failed and was left out: "
                f"{type(error).__name__}.",
                place=Place(),
                hint="This is a fault in Signalbox, not in the pack. Please report it.",
            )
        ]


def _located(source: Source, finding: Finding) -> Finding:
    if finding.place.line:
        return finding
    place = finding.place if finding.place.path else replace(finding.place, path=source.main)
    return replace(finding, place=source.locate(place))


def _order(finding: Finding) -> tuple[int, str, int, str, str]:
    place = finding.place
    return (LEVELS.index(finding.level), place.path, place.line, finding.code, finding.message)
