"""Runs, their events, artifacts and jobs."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from workflows.models.fields import WrittenJSON
from workflows.models.packs import Pack


class Run(models.Model):
    """One execution of a revision. The row repeats what lists need; the events are the truth."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="runs")
    revision = models.PositiveIntegerField()
    profile = models.CharField(max_length=40)
    driver = models.CharField(max_length=40)
    options = WrittenJSON(default=dict)
    """inputs, seed, script, budget, delay_ms, commands (bool), deny (bool: nobody is there, so
    whatever asks a person for a yes gets a no), tools (name → {kind, settings}, or null to ask a
    person: instead of what is bound beside the pack)."""
    status = models.CharField(max_length=20, default="new", db_index=True)
    reason = models.TextField(blank=True)
    last = models.PositiveBigIntegerField(default=0)
    """Number of the newest event."""
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    finished_at = models.DateTimeField(null=True)


class RunEvent(models.Model):
    """What happened, numbered per run without a gap. Of two writers of one number one loses."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    n = models.PositiveBigIntegerField()
    at = models.FloatField()
    type = models.CharField(max_length=60, db_index=True)
    fields = WrittenJSON(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "n"], name="one_event_per_number")]
        ordering = ["run", "n"]


class Artifact(models.Model):
    """A named value a run keeps, or (run null) a slot that a pack's newest revision declares."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="artifacts")
    run = models.ForeignKey(Run, null=True, on_delete=models.CASCADE, related_name="artifacts")
    name = models.CharField(max_length=300)
    type = models.CharField(max_length=120, blank=True)
    value = models.TextField(blank=True)
    n = models.PositiveBigIntegerField(null=True)
    """The event that set it last."""


class Job(models.Model):
    """Work for a run, with a lease. At most one live job per run."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="job")
    due_at = models.FloatField(db_index=True)
    leased_until = models.FloatField(default=0.0)
    worker = models.CharField(max_length=80, blank=True)
    attempts = models.PositiveIntegerField(default=0)
