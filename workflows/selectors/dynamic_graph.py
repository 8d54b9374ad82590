"""Changes of runs to their own graphs, read from their events, for any dialect."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from workflows.models import Run, RunEvent
from workflows.opened_packs.bodies import NOWHERE
from workflows.selectors.sources import dialect_named


def with_grown(graph: dict[str, Any], run: Run, at: int | None = None) -> dict[str, Any]:
    """A graph as the API returns it, with the states and transitions that the run had added by
    event `at` (None for all), without those that it had removed. An id that the graph already has
    is left unchanged."""
    if not dialect_named(run.pack.dialect).dynamic:
        return graph
    rows = RunEvent.objects.filter(run=run)
    change = {name: Cast(KT(f"fields__{name}"), TextField()) for name in ("grown", "shrunk")}
    rows = rows.annotate(grew=change["grown"], shrank=change["shrunk"])
    rows = rows.filter(Q(grew__isnull=False) | Q(shrank__isnull=False))
    if at is not None:
        rows = rows.filter(n__lte=at)
    states = {state["id"]: state for state in graph["states"]}
    transitions = {transition["id"]: transition for transition in graph["transitions"]}
    for fields in rows.order_by("n").values_list("fields", flat=True):
        grown, shrunk = fields.get("grown", {}), fields.get("shrunk", {})
        for id in shrunk.get("states", ()):
            states.pop(id, None)
        for id in shrunk.get("transitions", ()):
            transitions.pop(id, None)
        for state in grown.get("states", ()):
            states.setdefault(state["id"], {**state, **NOWHERE})
        for transition in grown.get("transitions", ()):
            transitions.setdefault(transition["id"], transition)
    return {**graph, "states": list(states.values()), "transitions": list(transitions.values())}
