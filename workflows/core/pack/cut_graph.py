"""The limit of a graph that is drawn and stored, and the finding if a pack exceeds it."""

from __future__ import annotations

from dataclasses import replace

from workflows.core.pack.findings import Finding, Place
from workflows.core.pack.graph import MAX_TRANSITIONS, Graph

MAX_STATES = 10_000
"""Maximum number of states that are drawn and stored. The files keep every state."""

CUT_GRAPH = "IN004"


def cut(graph: Graph) -> Graph:
    """The graph itself if it is within the limits, else its first states and the first of their
    transitions."""
    if len(graph.states) <= MAX_STATES and len(graph.transitions) <= MAX_TRANSITIONS:
        return graph
    states = graph.states[:MAX_STATES]
    ids = {state.id for state in states}
    kept = [
        transition
        for transition in graph.transitions
        if transition.source in ids and transition.target in ids
    ]
    return replace(graph, states=states, transitions=tuple(kept[:MAX_TRANSITIONS]))


def cut_finding(graph: Graph, main: str) -> tuple[Finding, ...]:
    """The finding for a graph that exceeds the limits. `main` is the pack's file."""
    states = len(graph.states)
    transitions = len(graph.transitions) + graph.more_transitions
    if states <= MAX_STATES and transitions <= MAX_TRANSITIONS:
        return ()
    return (
        Finding(
            code=CUT_GRAPH,
            level="warning",
            message=f"The pack has {states:,} states and {transitions:,} transitions, too many"
            " to draw all.",
            place=Place(path=main, element="pack"),
            hint=f"The first {MAX_STATES:,} states and {MAX_TRANSITIONS:,} transitions are"
            " drawn. The files are complete. Split the pack to see the rest.",
        ),
    )
