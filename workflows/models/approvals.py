"""Approvals: questions of runs to people."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from workflows.models.fields import WrittenJSON
from workflows.models.runs import Run


class Approval(models.Model):
    """One question that a run waits for. It repeats what lists need: the run's log is the truth,
    and the code that writes the asking or answering event writes this row with it."""

    class Kind(models.TextChoices):
        APPROVE = "approve"  # approve or deny
        EVENT = "event"  # choose a transition
        ANSWER = "answer"  # write an answer
        COMMAND = "command"  # a command that may not run here
        TOOL = "tool"  # a tool without a binding
        MODEL = "model"  # an answer in place of the model

    class Status(models.TextChoices):
        OPEN = "open"
        APPROVED = "approved"
        DENIED = "denied"
        ANSWERED = "answered"  # with more than a yes or no
        WITHDRAWN = "withdrawn"  # the run continued or ended without an answer

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="approvals")
    key = models.CharField(max_length=300)
    """Key of the effect, as in the log."""
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.TextField()
    question = models.TextField(blank=True)
    asks = WrittenJSON()
    """The whole effect: the exact command, call or question."""
    blocked_reason = models.TextField(blank=True)
    """The reason why nothing on the server performs it."""
    can_allow = models.BooleanField(default=False)
    """Approving performs it on the server."""
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.OPEN, db_default=Status.OPEN
    )
    asked_at = models.DateTimeField()
    limit = WrittenJSON(null=True)
    """The time limit of the run, the state or the pack at `asked_at`: hours, outcome, scope.
    Null: that of the server."""
    due_at = models.DateTimeField(null=True)
    """The time at which `limit` answers it; null if it does not."""
    answered_at = models.DateTimeField(null=True)
    answered_by = models.CharField(max_length=150, blank=True)
    answer = WrittenJSON(null=True)
    """Fields of the answering event, without those that locate it."""
    passed_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The person whom another one asked to answer. Everyone with the right may still answer."""
    reason = models.TextField(blank=True)
    """Reason of a denial, as the person wrote it."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="one_approval_per_key")]
        indexes = [
            models.Index(fields=["status", "asked_at"], name="approvals_open"),
            models.Index(fields=["status", "due_at"], name="approvals_due"),
        ]
