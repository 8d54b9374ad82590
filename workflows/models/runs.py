"""Runs, their events, artifacts and jobs."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from workflows.models.fields import RowNumber, WrittenJSON
from workflows.models.packs import Pack


class Run(models.Model):
    """One execution of a revision. The row repeats what lists need; the events are the truth."""

    class Source(models.TextChoices):
        PERSON = "person"  # in the browser
        API = "api"
        WEBHOOK = "webhook"
        SCHEDULE = "schedule"

    class Kept(models.TextChoices):
        NO = ""
        STAR = "star"  # kept by a user
        SCRIPT = "script"  # saved as a script

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="runs")
    revision = models.PositiveIntegerField()
    profile = models.CharField(max_length=40)
    driver = models.CharField(max_length=40)
    options = WrittenJSON(default=dict)
    """inputs, seed, script, budget, delay_ms, commands (bool), deny (bool: an unattended run, in
    which every approval is denied), tools (name → {kind, settings} or null to ask a person, instead
    of the pack's binding), mode (PLANNING or IMPLEMENTATION), workspace ({kind, path, ref, base} of
    a folder or of a git work tree; none for a copy of the pack), templates (name → text: those of
    the server at the start of the run), approval_limit (hours, outcome), roles (state → role,
    `role_bindings.taken_along`)."""
    status = models.CharField(max_length=20, default="new", db_index=True)
    reason = models.TextField(blank=True)
    last = models.PositiveBigIntegerField(default=0)
    """Number of the newest event."""
    model_calls = models.PositiveIntegerField(default=0)
    tool_calls = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0.0)
    """USD of the model calls so far, as far as their prices are known."""
    answer = models.TextField(blank=True)
    """The beginning of what the run answered, once it has ended."""
    ends = models.TextField(blank=True)
    """The states in which it ended, separated by commas."""
    seconds = models.FloatField(null=True)
    """`RunState.active_seconds` at its end; null before."""
    waited_seconds = models.FloatField(default=0.0, db_default=0.0)
    """`RunState.waited_seconds`: the part of `seconds` in which it only waited for people. 0 for
    runs that ended before this was stored."""
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.PERSON)
    """Origin of the start; `owner` is the user the run belongs to."""
    trigger = models.ForeignKey(
        "Trigger", null=True, on_delete=models.SET_NULL, related_name="runs"
    )
    key = models.CharField(max_length=200, blank=True)
    """Idempotency key of the start request; "" for none."""
    kept = models.CharField(max_length=10, choices=Kept.choices, default=Kept.NO, blank=True)
    """Reason for which pruning skips the run."""
    note = models.TextField(blank=True)
    """A note of people, up to 4,000 characters."""
    traced = models.PositiveBigIntegerField(default=0)
    """Number of the newest event that was exported as part of a trace."""
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    finished_at = models.DateTimeField(null=True, db_index=True)

    class Meta:
        permissions = [("run_commands", "May run commands and start MCP servers")]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "key"], condition=~models.Q(key=""), name="one_run_per_key"
            )
        ]


class RunEvent(models.Model):
    """An event of a run, numbered without gaps. Of two writers of one number, one fails."""

    id = RowNumber(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events", db_index=False)
    """The constraint below is the index: each further index slows down every event."""
    n = models.PositiveBigIntegerField()
    at = models.FloatField()
    type = models.CharField(max_length=60)
    fields = WrittenJSON(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "n"], name="one_event_per_number")]
        ordering = ["run", "n"]


class Artifact(models.Model):
    """A named value of a run, or (run null) a slot that a pack's newest revision declares."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="artifacts")
    run = models.ForeignKey(Run, null=True, on_delete=models.CASCADE, related_name="artifacts")
    name = models.CharField(max_length=300)
    type = models.CharField(max_length=120, blank=True)
    value = models.TextField(blank=True)
    n = models.PositiveBigIntegerField(null=True)
    """Number of the event that set it last."""


class Job(models.Model):
    """Work for a run, with a lease. At most one job per run."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="job")
    due_at = models.FloatField(db_index=True)
    leased_until = models.FloatField(default=0.0)
    worker = models.CharField(max_length=80, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    """Number of times the job was claimed since the run last made progress."""
