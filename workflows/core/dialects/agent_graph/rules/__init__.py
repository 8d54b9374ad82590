"""What a pack may get wrong, by theme. Codes: AG1 shape, AG2 agents, AG3 edges, AG4 the team, AG5
role templates."""

from workflows.core.dialects.agent_graph.rules import (
    edges,
    nodes,
    read_findings,
    shape,
    team,
    templates,
)
from workflows.core.pack.findings import rules_of

RULES = rules_of(read_findings, shape, nodes, edges, team, templates)

COVERED = frozenset(f"GR{number}" for number in range(101, 115))
"""Rules over any graph read arrows as the way that a run takes. Here an arrow permits a handoff and
nothing has to leave a box, so what they say does not hold; AG301 and AG401 to AG404 are in the
place of those that have a meaning here."""
