"""All findings of a pack: of reading it, of the dialect's rules, of the rules for any graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from workflows.core import rules
from workflows.core.dialects.base import Dialect, Source
from workflows.core.pack.causes import group_levels, in_order, with_causes
from workflows.core.pack.cut_graph import cut_finding
from workflows.core.pack.findings import LEVELS, MAX_FINDINGS, Finding, Level, Place, Rule
from workflows.core.pack.graph import Graph

BROKEN_RULE = "IN001"
"""The code of the finding that replaces the findings of a rule that raised an exception."""

STOPPED_RULE = "IN002"
"""The code of the finding that replaces the findings of a rule for which the pack is nested too
deeply or needs too much memory."""

RAISE_BROKEN_RULES = False
"""Set by tests: the exception of a rule is raised again instead of becoming a finding."""


def check(
    dialect: Dialect,
    source: Any,
    profile: str,
    graph: Graph | None = None,
) -> tuple[Finding, ...]:
    """Every finding, worst first, then by file and line; consequences after their cause. `graph`
    avoids projecting it twice.

    An unreadable source has only the findings of reading it. At most MAX_FINDINGS have the same
    code. A graph of which the dialect left out transitions has a finding.
    """
    findings = list(_first_of_each_code(source.findings))
    if source.readable:
        drawn = dialect.graph(source, profile) if graph is None else graph
        if drawn.more_transitions:
            findings += cut_finding(drawn, source.main)
        for each in rules_for(dialect, profile):
            findings += _run_rule(each, source, drawn)
    located = (_with_line(source, finding) for finding in findings)
    return in_order(with_causes(located, dialect.causes))


def rules_for(dialect: Dialect, profile: str = "") -> tuple[Rule, ...]:
    """The rules of a profile ("" for all profiles), each code once."""
    by_code = {each.code: each for each in rules.RULES if each.code not in dialect.covers}
    by_code.update({each.code: each for each in dialect.rules()})
    return tuple(
        by_code[code] for code in sorted(by_code) if not profile or by_code[code].holds_in(profile)
    )


def _first_of_each_code(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Findings of reading, of each code as many as a rule may have."""
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.code] += 1
        if counts[finding.code] <= MAX_FINDINGS:
            yield finding


def summary(findings: Iterable[Finding]) -> dict[Level, int]:
    """The number of findings per level. A finding counts once with its consequences."""
    counts: dict[Level, int] = dict.fromkeys(LEVELS, 0)
    items = list(findings)
    levels = group_levels(items)
    for one in items:
        if one.key in levels and (not one.cause or one.cause not in levels):
            counts[levels[one.key]] += 1
    return counts


def _run_rule(each: Rule, source: Any, graph: Graph) -> list[Finding]:
    """The findings of one rule. An exception in one rule must not stop the others."""
    try:
        return list(islice(each.check(source, graph), MAX_FINDINGS))
    except RecursionError:
        return [_stopped_finding(each, "the pack is nested too deeply")]
    except MemoryError:
        return [_stopped_finding(each, "the pack needs too much memory")]
    except Exception as error:
        if RAISE_BROKEN_RULES:
            raise
        return [
            Finding(
                code=BROKEN_RULE,
                level="warning",
                message=f"Rule {each.code} ({each.title}) failed and was skipped: "
                f"{type(error).__name__}.",
                place=Place(),
                hint="This is a fault in Signalbox, not in the pack. Please report it.",
            )
        ]


def _stopped_finding(each: Rule, why: str) -> Finding:
    return Finding(
        code=STOPPED_RULE,
        level="warning",
        message=f"Rule {each.code} ({each.title}) was stopped: {why}.",
        place=Place(),
        hint="Its findings are missing. Split the pack, or remove what it does not need.",
    )


def _with_line(source: Source, finding: Finding) -> Finding:
    if finding.place.line:
        return finding
    place = finding.place if finding.place.path else replace(finding.place, path=source.main)
    return replace(finding, place=source.locate(place))
