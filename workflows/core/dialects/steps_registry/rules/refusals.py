"""SR740: what the document allows and Climpt refuses, for packs under the profile `documented`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from workflows.core.dialects.steps_registry.rules.kit import CLIMPT_ONLY, DOCUMENTED, climpt
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.findings import Finding, Place, Rule, one_line, rule
from workflows.core.pack.graph import Graph

ALSO = ("SR504",)
"""Warnings of the profile `climpt` that end a run of Climpt."""

STRICTER = ("SR103", "SR104", "SR204", "SR207", "SR401", "SR601", "SR603", "SR604", "SR605")
"""Rules that hold in both profiles and find more under `climpt`."""


def refusal_rule(rules: Callable[[], Iterable[Rule]]) -> Rule:
    """The rule that repeats the errors of rules which hold only under `climpt` as hints. `rules`
    are all rules of the dialect."""

    @rule("SR740", "hint", "Climpt refuses this", profiles=DOCUMENTED)
    def refused(source: RegistrySource, graph: Graph) -> Iterator[Finding]:
        """The document allows this, and runs under the profile `documented` follow it. Climpt does
        not: its loader, its `--validate` or a run ends there with an error. The profile `climpt`
        shows the finding in full, with its fix."""
        under_climpt = replace(graph, profile=CLIMPT_ONLY[0])
        for each in rules():
            repeats = _other_findings(each, source, graph) if each.code in STRICTER else frozenset()
            if each.code not in STRICTER + ALSO and not _only_an_error_of_climpt(each):
                continue
            for finding in each.check(source, under_climpt):
                if (finding.place, finding.message) not in repeats:
                    yield _as_hint(finding, climpt(source))

    return refused


def _only_an_error_of_climpt(each: Rule) -> bool:
    return each.profiles == CLIMPT_ONLY and each.level == "error"


def _other_findings(
    each: Rule, source: RegistrySource, graph: Graph
) -> frozenset[tuple[Place, str]]:
    """The findings that the rule has under this profile too."""
    return frozenset((finding.place, finding.message) for finding in each.check(source, graph))


def _as_hint(finding: Finding, release: str) -> Finding:
    return replace(
        finding,
        code="SR740",
        level="hint",
        message=one_line(f"Not for {release}: {finding.message}"),
        hint=f"The rule is {finding.code}. The profile climpt shows it with its fix.",
        fix=None,
    )
