"""The audit log: what users changed, when, and from where."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workflows.models.fields import RowNumber


class AuditEntry(models.Model):
    """One request or command that changes something, or one that was refused. It has no texts and
    no secrets. Entries outlive the users and objects that they name."""

    class Outcome(models.TextChoices):
        DONE = "done"
        REFUSED = "refused"

    id = RowNumber(primary_key=True)
    at = models.DateTimeField(auto_now_add=True, db_index=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    user_name = models.CharField(max_length=150, blank=True, db_index=True)
    """Name at the time; "" for a request without a signed-in user."""
    by = models.CharField(max_length=100, blank=True)
    """"session", "token" and the token's name, or "command line"."""
    operation = models.CharField(max_length=80)
    """Name of the operation in the table of rights."""
    method = models.CharField(max_length=10)
    path = models.CharField(max_length=400)
    kind = models.CharField(max_length=20, blank=True)
    """Kind of the object, "" for none."""
    object_id = models.CharField(max_length=60, blank=True)
    object_name = models.CharField(max_length=200, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    status = models.PositiveSmallIntegerField()
    """Status of the HTTP response; 0 for a command."""
    address = models.CharField(max_length=60, blank=True)
    """Network address of the client."""

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["kind", "object_id"], name="audit_object")]

    def __str__(self) -> str:
        return f"{self.user_name} {self.operation} {self.path}"
