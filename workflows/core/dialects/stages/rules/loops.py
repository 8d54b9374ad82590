"""Loops of a pipeline: the proof over any graph, with the words and the repair of this format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workflows.core.dialects.stages.rules.kit import set_in_stage
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.findings import Finding, rule
from workflows.core.pack.graph import Graph
from workflows.core.rules import loops
from workflows.core.rules.kit import make_fix

VISITS = 3


@rule("ST420", "warning", "Loop without maxVisits")
def unbounded_loop(source: StagesSource, graph: Graph) -> Iterable[Finding]:
    """The stages lead to each other in a circle, and none of them has `maxVisits`, so a run can go
    round for ever; stud-cli's scheduler did just that with a review that never approved. Bound one
    of the stages. A run that comes to it once more ends as used up, unless a case that looks at
    `run.visits` leads elsewhere before. The walk shown leads into the loop and once around it."""
    for found in loops.unbounded_loop.check(source, graph):
        stage = found.place.element.removeprefix("state:")
        yield replace(
            found,
            code="ST420",
            hint="Give one of these stages maxVisits.",
            fix=make_fix(
                f"Visit {stage} {VISITS} times at most",
                set_in_stage(stage, "maxVisits", value=VISITS),
            ),
        )
