"""The rules of agent graphs by subject. Codes: AG1 shape, AG2 agents, AG3 edges, AG4 team, AG5 role
templates."""

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
"""General rules that do not apply: they assume that a run follows transitions. Here a transition
only permits a handoff, and no state needs an outgoing one. AG301 and AG401 to AG404 replace those
that have a counterpart."""
