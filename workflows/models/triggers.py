"""Triggers, and the log of their firings."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models

from workflows.models.fields import WrittenJSON
from workflows.models.packs import Pack


def new_address() -> str:
    """192 random bits, safe for a URL."""
    return secrets.token_urlsafe(24)


class Trigger(models.Model):
    """Starts runs of one pack: by a request with its secret, or on a schedule. The trigger decides
    which stored revision runs, never the sender of a request."""

    class Kind(models.TextChoices):
        WEBHOOK = "webhook"
        SCHEDULE = "schedule"

    class Follows(models.TextChoices):
        PINNED = "pinned"  # always `revision`
        NAMED = "named"  # the newest revision with a name
        NEWEST = "newest"  # the newest revision

    class Missed(models.TextChoices):
        ONCE = "once"  # one run, regardless of how many times were missed
        SKIP = "skip"

    class Overlap(models.TextChoices):
        ALLOW = "allow"  # another run starts
        SKIP = "skip"  # no run starts
        REPLACE = "replace"  # the earlier run is cancelled

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="triggers")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    """The user that runs are started as. The trigger of a deactivated user starts nothing."""
    enabled = models.BooleanField(default=True)
    follows = models.CharField(max_length=10, choices=Follows.choices, default=Follows.PINNED)
    revision = models.PositiveIntegerField(null=True)
    driver = models.CharField(max_length=40)
    options = WrittenJSON(default=dict)
    """Options of the runs: inputs (the constant ones), connection, model, mode, budget, seed,
    commands, deny. See models.Run."""
    takes = WrittenJSON(default=dict)
    """Input → JSON Pointer (RFC 6901) into the body of a request; "" takes the whole body."""
    address = models.CharField(max_length=40, unique=True, default=new_address)
    sealed_secret = models.TextField(blank=True)
    """Encrypted, not hashed: the HMAC of a body cannot be checked with a hash."""
    callback = models.CharField(max_length=1_000, blank=True)
    """Of a webhook: address that the result of each run is sent to, "" for none."""
    cron = models.CharField(max_length=120, blank=True)
    timezone = models.CharField(max_length=60, blank=True)
    missed = models.CharField(max_length=10, choices=Missed.choices, default=Missed.ONCE)
    overlap = models.CharField(
        max_length=10, choices=Overlap.choices, default=Overlap.ALLOW, db_default=Overlap.ALLOW
    )
    """Of a schedule: the effect of an earlier run that has not ended at a due time."""
    next_at = models.DateTimeField(null=True)
    """Next time of the schedule; null while it is switched off."""
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["next_at"], name="triggers_due")]
        ordering = ["pack", "name", "pk"]

    def __str__(self) -> str:
        return self.name


class Firing(models.Model):
    """One firing of a trigger. `key` limits it to one run across repetitions and workers: the
    sender's idempotency key, or the due time of a schedule."""

    class Outcome(models.TextChoices):
        STARTED = "started"
        REFUSED = "refused"
        SKIPPED = "skipped"

    trigger = models.ForeignKey(Trigger, on_delete=models.CASCADE, related_name="firings")
    key = models.CharField(max_length=255)
    at = models.DateTimeField(db_index=True)
    due_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    reason = models.TextField(blank=True)
    """Reason why no run was started."""
    tried = models.BooleanField(default=False)
    """True for the Try button."""
    run = models.ForeignKey("Run", null=True, on_delete=models.SET_NULL, related_name="firings")
    callback_due = models.DateTimeField(null=True)
    """Time from which the result is sent, once the run has ended; null without a callback, and
    once it was sent or given up."""
    callback_tries = models.PositiveSmallIntegerField(default=0)
    callback_sent_at = models.DateTimeField(null=True)
    callback_error = models.CharField(max_length=300, blank=True)
    """Reason why the last attempt failed."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trigger", "key"], name="one_firing_per_key")
        ]
        indexes = [
            models.Index(fields=["trigger", "-at"], name="firings_newest"),
            models.Index(
                fields=["callback_due"],
                condition=models.Q(callback_due__isnull=False),
                name="callbacks_due",
            ),
        ]
