"""Ways to models."""

from __future__ import annotations

from django.db import models


class Connection(models.Model):
    """A provider or server of models, with the key it wants. The key is written and never shown."""

    class Kind(models.TextChoices):
        OPENAI = "openai"
        ANTHROPIC = "anthropic"
        GOOGLE = "google"
        COMPATIBLE = "compatible"

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    base_url = models.CharField(max_length=400, blank=True)
    """"" is the provider's own; a compatible server has to have one."""
    model = models.CharField(max_length=200, blank=True)
    """Asked where neither the run nor the pack names one."""
    sealed_key = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.name
