"""The shared rule for unbounded cycles, with a message and a fix for this format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workflows.core.dialects.stages.rules.kit import (
    set_in_stage,
)
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.findings import EVERY, Finding, rule
from workflows.core.pack.graph import Graph
from workflows.core.rules import loops
from workflows.core.rules.kit import make_fix

VISITS = 3


@rule("ST420", "warning", "Cycle without maxVisits", profiles=EVERY)
def unbounded_loop(source: StagesSource, graph: Graph) -> Iterable[Finding]:
    """The stages form a cycle and none of them has `maxVisits`, so a run can repeat them forever.
    It happened in stud-cli's scheduler with a review that never approved. Set `maxVisits` on one of
    the stages. A run that exceeds it ends as exhausted, unless a case that reads `run.visits`
    leaves the cycle earlier. The path shown enters the cycle and follows it once."""
    for finding in loops.unbounded_loop.check(source, graph):
        stage = finding.place.element.removeprefix("state:")
        yield replace(
            finding,
            code="ST420",
            hint="Set maxVisits on one of these stages.",
            fix=make_fix(
                f"Visit {stage} at most {VISITS} times",
                set_in_stage(stage, "maxVisits", value=VISITS),
            ),
        )
