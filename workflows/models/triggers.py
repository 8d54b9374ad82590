"""What starts runs by itself, and every time it did."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models

from workflows.models.fields import WrittenJSON
from workflows.models.packs import Pack


def new_address() -> str:
    """192 bits that nobody guesses, fit for a URL."""
    return secrets.token_urlsafe(24)


class Trigger(models.Model):
    """Starts runs of one pack: when a request with its secret comes, or by the clock. What it
    starts is a stored revision, chosen here and never by whoever sends the request."""

    class Kind(models.TextChoices):
        WEBHOOK = "webhook"
        SCHEDULE = "schedule"

    class Follows(models.TextChoices):
        PINNED = "pinned"  # `revision`, whatever comes after it
        NAMED = "named"  # the newest revision that somebody gave a name
        NEWEST = "newest"  # whatever was saved last

    class Missed(models.TextChoices):
        ONCE = "once"  # one run, however many times passed while no worker was there
        SKIP = "skip"

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="triggers")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    """In whose name the runs are. A trigger whose owner may not sign in starts nothing."""
    enabled = models.BooleanField(default=True)
    follows = models.CharField(max_length=10, choices=Follows.choices, default=Follows.PINNED)
    revision = models.PositiveIntegerField(null=True)
    driver = models.CharField(max_length=40)
    options = WrittenJSON(default=dict)
    """Of the runs: inputs (those that are the same each time), connection, model, mode, budget,
    seed, commands, deny. See models.Run."""
    takes = WrittenJSON(default=dict)
    """Input → JSON Pointer (RFC 6901) into the body of a request; "" takes all of it."""
    address = models.CharField(max_length=40, unique=True, default=new_address)
    sealed_secret = models.TextField(blank=True)
    """Sealed, not hashed: the HMAC of a body cannot be checked with a hash."""
    cron = models.CharField(max_length=120, blank=True)
    timezone = models.CharField(max_length=60, blank=True)
    missed = models.CharField(max_length=10, choices=Missed.choices, default=Missed.ONCE)
    next_at = models.DateTimeField(null=True)
    """When the schedule is due next; null while it is off."""
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["next_at"], name="triggers_due")]
        ordering = ["pack", "name", "pk"]

    def __str__(self) -> str:
        return self.name


class Firing(models.Model):
    """One time that a trigger was to start a run. `key` makes it one run at most, whoever else
    tries: the sender's idempotency key, or the due time of a schedule."""

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
    """Why no run was started."""
    tried = models.BooleanField(default=False)
    """Somebody pressed Try."""
    run = models.ForeignKey("Run", null=True, on_delete=models.SET_NULL, related_name="firings")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trigger", "key"], name="one_firing_per_key")
        ]
        indexes = [models.Index(fields=["trigger", "-at"], name="firings_newest")]
