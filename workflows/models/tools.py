"""Tool bindings of a pack, and notes of its runs. Stored separately from the files."""

from __future__ import annotations

from django.conf import settings as django_settings
from django.db import models

from workflows.models.packs import Pack


class ToolBinding(models.Model):
    """The binding of a tool. `settings` by the kind's schema in `workflows.runner.tools`;
    `sealed_secrets`: an encrypted JSON object, name → value, write-only; `author`: who bound it,
    on whose right a command depends."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="bindings")
    tool = models.CharField(max_length=300)
    kind = models.CharField(max_length=40)
    settings = models.JSONField(default=dict)
    sealed_secrets = models.TextField(blank=True)
    author = models.ForeignKey(
        django_settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pack", "tool"], name="one_binding_per_tool")
        ]


class Note(models.Model):
    """A text that runs of a pack store for later runs."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="notes")
    key = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pack", "key"], name="one_note_per_key")]
