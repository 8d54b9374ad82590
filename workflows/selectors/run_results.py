"""The result of a stored run."""

from __future__ import annotations

from typing import Any

from workflows.core.engine.result import TURN_EVENTS, run_result
from workflows.core.engine.run import RunState
from workflows.models import Run, RunEvent
from workflows.selectors.runs import event_of


def result_json(row: Run, run: RunState) -> dict[str, Any]:
    """The result of a run. `run`: its fold."""
    rows = RunEvent.objects.filter(run=row, n__lte=run.n, type__in=TURN_EVENTS).order_by("n")
    return {"run": str(row.pk), **run_result(run, map(event_of, rows.iterator()))}
