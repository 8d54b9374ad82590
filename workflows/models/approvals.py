"""What runs ask of people."""

from __future__ import annotations

import uuid

from django.db import models

from workflows.models.fields import WrittenJSON
from workflows.models.runs import Run


class Approval(models.Model):
    """One thing that a run waits for a person to say. Repeats what lists need: the run's log is the
    truth, and whatever writes the event that asks or answers writes this row with it."""

    class Kind(models.TextChoices):
        APPROVE = "approve"  # yes or no
        EVENT = "event"  # which arrow to take
        ANSWER = "answer"  # write something
        COMMAND = "command"  # a command that may not run here
        TOOL = "tool"  # a tool that nothing here is bound to
        MODEL = "model"  # the model's turn, with a person in its place

    class Status(models.TextChoices):
        OPEN = "open"
        APPROVED = "approved"
        DENIED = "denied"
        WITHDRAWN = "withdrawn"  # the run went on or ended without an answer

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="approvals")
    key = models.CharField(max_length=300)
    """The key of the effect, as the log has it."""
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.TextField()
    question = models.TextField(blank=True)
    asks = WrittenJSON()
    """The whole effect: the exact command, call or question."""
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)
    answered_by = models.CharField(max_length=150, blank=True)
    answer = WrittenJSON(null=True)
    """What the event that answers says, without where it belongs."""
    reason = models.TextField(blank=True)
    """Why a person said no, in their words."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="one_approval_per_key")]
        indexes = [models.Index(fields=["status", "asked_at"], name="approvals_open")]
