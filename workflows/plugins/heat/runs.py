"""Where the runs of a revision spend time and money, and where they fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q

from roles.rights import visible
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fork_points
from workflows.core.engine.result import rounded
from workflows.models import Pack, Run, RunEvent
from workflows.plugins.heat.sums import HEAT_EVENTS, StateHeat, add_run

MOST_RUNS = 200
MOST_EVENTS = 200_000
"""Limits of one answer: older runs are left out."""


def revision_heat(pack: Pack, revision: int, person: User) -> dict[str, Any]:
    """Sums of each state over the newest runs of a revision that the user may see. `left_out`:
    number of older runs that are not summed."""
    rows = visible(Run.objects.filter(pack=pack, revision=revision), person)
    runs = list(rows.order_by("-created_at", "pk").values_list("pk", "last"))
    chosen, events = list[Any](), 0
    for key, last in runs[:MOST_RUNS]:
        events += last
        if chosen and events > MOST_EVENTS:
            break
        chosen.append(key)
    sums: dict[str, StateHeat] = {}
    log = RunEvent.objects.filter(_wanted(chosen), run__in=chosen).order_by("run_id", "n")
    for _, one in groupby(log.iterator(chunk_size=2_000), key=attrgetter("run_id")):
        add_run(sums, (Event(n=row.n, at=row.at, type=row.type, fields=row.fields) for row in one))
    states = sorted(sums.values(), key=lambda sum: -sum.seconds)
    return {
        "revision": revision,
        "runs": len(chosen),
        "left_out": len(runs) - len(chosen),
        "states": [
            {**asdict(sum), "seconds": round(sum.seconds, 3), "cost": rounded(sum.cost)}
            for sum in states
        ],
    }


def _wanted(runs: Sequence[Any]) -> Q:
    """The events that heat reads. The clock of a fork also needs the events around its fork points:
    between them is the time before the fork continued."""
    wanted = Q(type__in=HEAT_EVENTS)
    for row in RunEvent.objects.filter(run__in=runs, type="run.started"):
        numbers = {n for point in fork_points(row.fields) for n in (point, point + 1)}
        if numbers:
            wanted |= Q(run=row.run_id, n__in=numbers)
    return wanted
