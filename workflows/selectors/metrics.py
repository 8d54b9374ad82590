"""Prometheus metrics of the whole installation, read from the database."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from workflows.core.engine.run import FINISHED
from workflows.models import Approval, Run
from workflows.selectors.status import status

STATUSES = ("new", "running", "paused", "waiting", *FINISHED)


class Installation(Collector):
    """Runs by status, the figures of the status page, and the number of open approvals."""

    def collect(self) -> Iterable[Metric]:
        yield _runs()
        yield from _gauges()
        waiting = Approval.objects.filter(status=Approval.Status.OPEN).count()
        yield GaugeMetricFamily(
            "signalbox_approvals_open", "Questions that wait for a person.", value=waiting
        )


def _runs() -> Metric:
    counted = dict(Run.objects.order_by().values_list("status").annotate(Count("pk")))
    metric = GaugeMetricFamily("signalbox_runs", "Stored runs by status.", labels=["status"])
    for name in STATUSES:
        metric.add_metric([name], counted.get(name, 0))
    return metric


def _gauges() -> Iterable[Metric]:
    state = status()
    queue = state.queue
    figures = {
        "signalbox_jobs_waiting": ("Runs that are due and that no worker has.", queue.waiting),
        "signalbox_jobs_held": ("Runs that a worker has.", queue.held),
        "signalbox_jobs_sleeping": ("Runs that wait for their time.", queue.sleeping),
        "signalbox_oldest_job_seconds": (
            "How long the longest waiting run has been due.",
            queue.oldest_seconds,
        ),
        "signalbox_runs_stuck": (
            "Runs that a worker has, without an event for ten minutes.",
            queue.stuck,
        ),
        "signalbox_workers": ("Workers with a heartbeat.", len(state.workers)),
        "signalbox_schedules_late": (
            "Schedules that are more than a minute late.",
            len(state.late_schedules),
        ),
        "signalbox_messages_undelivered": (
            "Messages and results that were refused and will be sent again.",
            state.undelivered_messages + state.undelivered_results,
        ),
        "signalbox_disk_free_bytes": (
            "Free bytes of the disk of the data folder.",
            state.disk.free,
        ),
        "signalbox_disk_bytes": ("Size of the disk of the data folder.", state.disk.total),
        "signalbox_database_bytes": ("Size of the database.", state.database_bytes),
        "signalbox_last_backup_seconds": (
            "Time of the last backup in seconds since 1970; 0 without one.",
            state.backup.at.timestamp() if state.backup else 0.0,
        ),
    }
    for name, (about, value) in figures.items():
        yield GaugeMetricFamily(name, about, value=value)
