"""The status page of the installation, for staff. Works without JavaScript."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from workflows.selectors.status import status
from workflows.views.readiness import readiness


@never_cache
@require_GET
def status_page(request: HttpRequest) -> HttpResponse:
    """Workers, queue, schedules, tasks of repositories, disk, database, version and backup."""
    ready = readiness()
    state = status()
    workers = [
        {
            "row": worker,
            "started": datetime.fromtimestamp(worker.started_at, UTC),
            "seen": datetime.fromtimestamp(worker.seen_at, UTC),
        }
        for worker in state.workers
    ]
    oldest = state.queue.oldest
    context = {
        "state": state,
        "warnings": [*ready.problems.values(), *ready.warnings.values()],
        "workers": workers,
        "oldest_since": datetime.fromtimestamp(oldest.due_at, UTC) if oldest else None,
        "now": datetime.now(UTC),
    }
    return render(request, "status.html", context)
