"""The first divergence of a recorded run, drawn on the graph of the pack as it is now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from workflows.core.compare.difference import Changes, Difference
from workflows.core.compare.drawn_difference import as_svg
from workflows.core.engine.events import Event
from workflows.core.engine.replay.verify import Divergence
from workflows.core.pack.findings import Place
from workflows.core.pack.graph import Graph, Transition

WORDS = {"added": "now", "removed": "recorded", "changed": "first divergence"}


def divergence_svg(graph: Graph, log: Sequence[Event], divergence: Divergence) -> str:
    """The graph as an SVG document: the state of the divergence, the transition that the run took
    next, and the one that it would take now."""
    state = _state_at(log, divergence.n)
    later = (one for one in log[divergence.n - 1 :] if one.type == "transition.taken")
    recorded = next((_transition(one.fields) for one in later), None)
    now = _transition(divergence.taken) if divergence.taken else None
    if now is not None and recorded is not None and now.id == recorded.id:
        now = recorded = None
    rest = tuple(one for one in graph.transitions if recorded is None or one.id != recorded.id)
    marked = Difference(
        dialect=graph.dialect,
        profile=graph.profile,
        states=Changes(changed=(state,) if state else ()),
        transitions=Changes(
            added=(now.id,) if now else (), removed=(recorded.id,) if recorded else ()
        ),
    )
    before = _with(graph, recorded)
    after = _with(replace(graph, transitions=rest), now)
    return as_svg(before, after, marked, words=WORDS)


def _state_at(log: Sequence[Event], n: int) -> str:
    """The state that was entered last before event `n`, or is named by it."""
    event = log[n - 1].fields if n <= len(log) else {}
    named = event.get("state") or event.get("source")
    if isinstance(named, str) and named:
        return named
    entered = (one.fields["state"] for one in reversed(log[:n]) if one.type == "state.entered")
    return str(next(entered, ""))


def _transition(fields: Mapping[str, Any]) -> Transition:
    return Transition(
        source=str(fields.get("source", "")),
        target=str(fields.get("target") or ""),
        label=str(fields.get("label", "")),
        place=Place(path=""),
    )


def _with(graph: Graph, one: Transition | None) -> Graph:
    """The graph with this transition."""
    if one is None or any(each.id == one.id for each in graph.transitions):
        return graph
    return replace(graph, transitions=(*graph.transitions, one))
