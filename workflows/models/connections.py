"""Ways to models."""

from __future__ import annotations

from django.db import models

from workflows.models.packs import Pack


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
    timeout = models.FloatField(null=True)
    """Seconds that an answer may take; None is the server's own limit."""
    sealed_key = models.TextField(blank=True)
    default = models.BooleanField(default=False)
    """Asked where neither state, run nor pack says which; at most one of them."""
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["default"],
                condition=models.Q(default=True),
                name="one_default_connection",
            )
        ]

    def __str__(self) -> str:
        return self.name


class ModelChoice(models.Model):
    """Who is asked in a state of a pack, or with `state` "" in all of it. Beside the pack, never in
    its files. `connection` by name, as runs have it; "" in either leaves that to the next level."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="model_choices")
    state = models.TextField(blank=True)
    connection = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pack", "state"], name="one_model_choice_per_state")
        ]
