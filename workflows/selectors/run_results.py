"""The result of a stored run."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from workflows.core.engine.result import TURN_EVENTS, clocked_numbers, run_result
from workflows.core.engine.run import RunState
from workflows.models import Run, RunEvent
from workflows.selectors.run_people import DONE_BY_PEOPLE
from workflows.selectors.runs import event_of


def result_json(row: Run, run: RunState) -> dict[str, Any]:
    """The result of a run. `run`: its fold."""
    wanted = Q(type__in=TURN_EVENTS) | Q(n__in=clocked_numbers(run)) | DONE_BY_PEOPLE
    rows = RunEvent.objects.filter(wanted, run=row, n__lte=run.n).order_by("n")
    return {"run": str(row.pk), **run_result(run, map(event_of, rows.iterator()))}
