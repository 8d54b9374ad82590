"""Proposals: edits of a pack that wait for a decision."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workflows.models.fields import WrittenJSON
from workflows.models.packs import Pack


class Proposal(models.Model):
    """A revision that has not happened: edits that were made for revision `base`, decided in parts.

    `parts`: for each, `edits` (indices, ascending), `status` (as of the proposal), and of its
    decision `by` (a user's name), `reason` and `revision`.
    """

    class Status(models.TextChoices):
        PENDING = "pending"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="proposals")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    note = models.TextField(blank=True)
    """The author's words about it."""
    base = models.PositiveIntegerField()
    """The revision on which the pending parts are based; a decision can bring it forward."""
    edits = WrittenJSON(default=list)
    parts = WrittenJSON(default=list)
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.PENDING, db_default=Status.PENDING
    )
    """The first of these that a part has."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
