"""Estimates of what a run of a pack will cost: its worst case, and its earlier runs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User

from roles.rights import visible
from workflows.core.engine.result import rounded
from workflows.core.pack.graph import Graph
from workflows.core.rules.worst_case import worst_case
from workflows.models import Pack, Run
from workflows.selectors.sources import opened

NEWEST = 20
"""Number of earlier runs that an estimate is made from."""
MEASURES = ("model_calls", "input_tokens", "output_tokens", "cost", "seconds")


def estimate(pack: Pack, person: User) -> dict[str, Any]:
    """`worst`: the most that one run can use (null: no limit). `past`: the median and the most of
    the newest completed runs with a model that the user may see, null without one."""
    graph = _graph(pack)
    bounds = {"visits": None, "calls": None, "tokens": None}
    return {
        "worst": asdict(worst_case(graph)) if graph and graph.states else bounds,
        "past": _past(pack, person),
    }


def _graph(pack: Pack) -> Graph | None:
    seen = opened(pack, pack.head)
    return seen.dialect.graph(seen.source, pack.profile) if seen.source.readable else None


def _past(pack: Pack, person: User) -> dict[str, Any] | None:
    found = Run.objects.filter(pack=pack, driver="model", status="completed")
    rows = list(visible(found.order_by("-created_at"), person)[:NEWEST])
    if not rows:
        return None
    values = {name: sorted(getattr(row, name) for row in rows) for name in MEASURES[:-1]}
    values["seconds"] = sorted(round(row.seconds or 0.0, 1) for row in rows)
    return {
        "runs": len(rows),
        "median": {name: rounded(values[name][len(rows) // 2]) for name in MEASURES},
        "most": {name: rounded(values[name][-1]) for name in MEASURES},
    }
