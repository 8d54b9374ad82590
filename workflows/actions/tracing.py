"""How far each run's trace was told."""

from __future__ import annotations

from uuid import UUID

from workflows.models import Run


def mark_traced(run_id: UUID, n: int) -> None:
    """The spans that ended up to event `n` were taken by the collector."""
    Run.objects.filter(pk=run_id, traced__lt=n).update(traced=n)
