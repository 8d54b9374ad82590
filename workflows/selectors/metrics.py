"""Prometheus metrics of the whole installation, read from the database."""

from __future__ import annotations

import time
from collections.abc import Iterable

from django.db.models import Count
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from workflows.core.engine.run import FINISHED
from workflows.models import Approval, Job, Run

STATUSES = ("new", "running", "paused", "waiting", *FINISHED)


class Installation(Collector):
    """Runs by status, length and age of the queue, and number of open approvals."""

    def collect(self) -> Iterable[Metric]:
        yield _runs()
        yield from _queue(time.time())
        waiting = Approval.objects.filter(status=Approval.Status.OPEN).count()
        yield GaugeMetricFamily(
            "signalbox_approvals_open", "Questions that wait for a person.", value=waiting
        )


def _runs() -> Metric:
    counted = dict(Run.objects.order_by().values_list("status").annotate(Count("pk")))
    metric = GaugeMetricFamily("signalbox_runs", "Stored runs by status.", labels=["status"])
    for status in STATUSES:
        metric.add_metric([status], counted.get(status, 0))
    return metric


def _queue(now: float) -> Iterable[Metric]:
    jobs = Job.objects.all()
    free = jobs.filter(due_at__lte=now, leased_until__lte=now)
    oldest = free.order_by("due_at").values_list("due_at", flat=True).first()
    figures = {
        "signalbox_jobs_waiting": ("Runs that are due and that no worker has.", free.count()),
        "signalbox_jobs_held": (
            "Runs that a worker has.",
            jobs.filter(leased_until__gt=now).count(),
        ),
        "signalbox_jobs_sleeping": (
            "Runs that wait for their time.",
            jobs.filter(due_at__gt=now).count(),
        ),
        "signalbox_oldest_job_seconds": (
            "How long the longest waiting run has been due.",
            now - oldest if oldest is not None else 0.0,
        ),
    }
    for name, (about, value) in figures.items():
        yield GaugeMetricFamily(name, about, value=value)
