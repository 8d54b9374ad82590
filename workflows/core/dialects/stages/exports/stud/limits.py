"""Findings about features of an exported pipeline that stud-cli 0.1.1 does not support."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.stages.format.tools import REGISTERED
from workflows.core.dialects.stages.rules.conditions import conditions
from workflows.core.dialects.stages.rules.pipeline_facts import Facts, facts_of
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.findings import Finding, Level, Place
from workflows.core.rules.kit import quoted_list
from workflows.core.text.tolerant import as_list, as_object


def limits(source: StagesSource) -> tuple[Finding, ...]:
    """The findings of an export. Their help pages are in the rules."""
    facts = facts_of(source)
    message = "stud-cli 0.1.1 discovers this extension but cannot attach it."
    findings = [_finding("ST601", "hint", message, facts.top())]
    for each in (_placeholders, _payload, _not_carried_out, _tools):
        findings += each(facts)
    return tuple(findings)


def _placeholders(facts: Facts) -> Iterator[Finding]:
    stages = [stage for stage, there in facts.placeholders.items() if there]
    if stages:
        yield _finding(
            "ST602",
            "hint",
            f"Generated code fills in the prompts of {quoted_list(stages)}.",
            facts.body(stages[0]),
        )


def _payload(facts: Facts) -> Iterator[Finding]:
    tested = [each.stage for each in conditions(facts)]
    kept = [stage for stage in facts.entries if facts.source.entry(stage).get("exit")]
    stages = list(dict.fromkeys((*tested, *kept)))
    if stages:
        yield _finding(
            "ST603",
            "warning",
            f"Conditions of {quoted_list(stages)} need results that stud-cli 0.1.1 does not pass.",
            facts.entry(stages[0]),
        )


def _not_carried_out(facts: Facts) -> Iterator[Finding]:
    """Used features that stud-cli does not implement."""
    uses = {
        "retries after a failed assert": [s for s in facts.sound if _attempts(facts, s) > 1],
        "validation of inputs": [s for s in facts.sound if "inputsSchema" in facts.values(s)],
        "onParallelFailure": list(facts.failures),
        "waiting gates": [s for s in facts.entries if "gate" in facts.source.entry(s)],
    }
    for what, stages in uses.items():
        if stages:
            message = f"stud-cli 0.1.1 does not implement {what}: {quoted_list(stages)}."
            yield _finding("ST605", "warning", message, facts.entry(stages[0]))


def _attempts(facts: Facts, stage: str) -> int:
    most = as_object(facts.values(stage).get("retryPolicy")).get("maxAttempts")
    return most if isinstance(most, int) else 1


def _tools(facts: Facts) -> Iterator[Finding]:
    for stage, file in facts.heads:
        listed = [str(name) for name in as_list(file.values.get("allowedTools"))]
        gone = [name for name in listed if name not in REGISTERED]
        if gone:
            yield _finding(
                "ST606",
                "warning",
                f"stud-cli 0.1.1 silently drops {quoted_list(gone)} from {stage!r}.",
                facts.head(stage, "allowedTools"),
            )


def _finding(code: str, level: Level, message: str, place: Place) -> Finding:
    return Finding(code=code, level=level, message=message, place=place)
