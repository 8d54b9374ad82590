"""Progress of trace export per run."""

from __future__ import annotations

from uuid import UUID

from workflows.models import Run


def mark_traced(run_id: UUID, n: int) -> None:
    """Record that the collector accepted all spans up to event `n`."""
    Run.objects.filter(pk=run_id, traced__lt=n).update(traced=n)
