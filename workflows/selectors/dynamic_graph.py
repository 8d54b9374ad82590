"""States and transitions that runs added to their graphs, read from their events, for any
dialect."""

from __future__ import annotations

from typing import Any

from django.db.models import TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from workflows.models import Run, RunEvent
from workflows.selectors.layout import NOWHERE
from workflows.selectors.sources import dialect_named


def with_grown(graph: dict[str, Any], run: Run, at: int | None = None) -> dict[str, Any]:
    """A graph as the API returns it, with the states and transitions that the run had added by
    event `at` (None for all). An id that the graph already has is left unchanged."""
    if not dialect_named(run.pack.dialect).dynamic:
        return graph
    rows = RunEvent.objects.filter(run=run)
    rows = rows.annotate(grew=Cast(KT("fields__grown"), TextField())).filter(grew__isnull=False)
    if at is not None:
        rows = rows.filter(n__lte=at)
    states = {state["id"]: state for state in graph["states"]}
    arrows = {arrow["id"]: arrow for arrow in graph["transitions"]}
    for fields in rows.order_by("n").values_list("fields", flat=True):
        for state in fields["grown"].get("states", ()):
            states.setdefault(state["id"], {**state, **NOWHERE})
        for arrow in fields["grown"].get("transitions", ()):
            arrows.setdefault(arrow["id"], arrow)
    return {**graph, "states": list(states.values()), "transitions": list(arrows.values())}
