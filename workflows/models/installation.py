"""The installation itself: its workers, and the last time of what concerns all of it."""

from __future__ import annotations

from django.db import models


class Milestone(models.Model):
    """The last time that something happened to the whole installation."""

    class Kind(models.TextChoices):
        MIGRATION = "migration"
        BACKUP = "backup"

    kind = models.CharField(primary_key=True, max_length=20, choices=Kind.choices)
    version = models.CharField(max_length=40)
    """Version of the program that did it."""
    at = models.DateTimeField()


class WorkerHeartbeat(models.Model):
    """A worker that is running, or that was killed a short time ago."""

    worker = models.CharField(primary_key=True, max_length=80)
    """As in `Job.worker`."""
    host = models.CharField(max_length=200)
    version = models.CharField(max_length=40)
    started_at = models.FloatField()
    seen_at = models.FloatField(db_index=True)
    """Seconds since 1970, as the leases of jobs."""
    runs = models.PositiveIntegerField()
    """Number of runs that it holds."""
