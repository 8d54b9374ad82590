"""Messages to people about open approvals."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workflows.models.approvals import Approval


class NotificationChannel(models.Model):
    """An address at which a person wants messages about approvals."""

    class Kind(models.TextChoices):
        CHAT = "chat"  # an incoming webhook, in Slack's format
        MAIL = "mail"

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notification_channels"
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    sealed_address = models.TextField()
    """Encrypted: the address of a chat webhook is all that writing to the chat needs."""
    shown = models.CharField(max_length=200)
    """The address as it may be shown: the mail address, or the host of the webhook."""
    created_at = models.DateTimeField(auto_now_add=True)


class ApprovalNotice(models.Model):
    """One message about an approval, to be sent once at `due`. It is written in the transaction
    that opens the approval, so a crash loses none."""

    class Kind(models.TextChoices):
        ASKED = "asked"
        REMINDER = "reminder"

    approval = models.ForeignKey(Approval, on_delete=models.CASCADE, related_name="notices")
    channel = models.ForeignKey(NotificationChannel, on_delete=models.CASCADE)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.ASKED)
    due = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    done_at = models.DateTimeField(null=True)
    """Time at which it was sent, given up, or no longer needed."""
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["approval", "channel", "kind"], name="one_notice")
        ]
        indexes = [
            models.Index(fields=["due"], condition=models.Q(done_at=None), name="notices_due")
        ]
