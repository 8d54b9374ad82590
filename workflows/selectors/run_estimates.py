"""Estimates of what a run of a pack will cost: its worst case, and its earlier runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User

from roles.rights import visible
from workflows.core.engine.result import rounded
from workflows.models import Pack, Run
from workflows.opened_packs.bodies import worst_case
from workflows.selectors.sources import view
from workflows.selectors.worst_costs import worst_cost

NEWEST = 20
"""Number of earlier runs that an estimate is made from."""
MEASURES = ("model_calls", "input_tokens", "output_tokens", "cost", "seconds")


def estimate(pack: Pack, person: User, *, connection: str = "", model: str = "") -> dict[str, Any]:
    """`worst`: the most that one run can use (null: no limit) and cost with this choice of a model
    (see `worst_cost`). `past`: the median and the most of the newest completed runs with a model
    that the user may see, null without one."""
    worst = worst_case(view(pack))
    rows = _newest(pack, person)
    called = [row for row in rows if row.model_calls]
    per_call = (
        max((row.input_tokens / row.model_calls for row in called), default=0.0),
        max((row.output_tokens / row.model_calls for row in called), default=0.0),
    )
    costs = worst_cost(
        pack,
        person,
        worst,
        per_call=per_call if called else None,
        connection=connection,
        model=model,
    )
    return {"worst": {**asdict(worst), **costs}, "past": _past(rows)}


def _newest(pack: Pack, person: User) -> list[Run]:
    runs = Run.objects.filter(pack=pack, driver="model", status="completed")
    return list(visible(runs.order_by("-created_at"), person)[:NEWEST])


def _past(rows: Sequence[Run]) -> dict[str, Any] | None:
    if not rows:
        return None
    values = {name: sorted(getattr(row, name) for row in rows) for name in MEASURES[:-1]}
    values["seconds"] = sorted(round((row.seconds or 0.0) - row.waited_seconds, 1) for row in rows)
    return {
        "runs": len(rows),
        "median": {name: rounded(values[name][len(rows) // 2]) for name in MEASURES},
        "most": {name: rounded(values[name][-1]) for name in MEASURES},
    }
