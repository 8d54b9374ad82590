"""Model connections and choices."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workflows.models.packs import Pack


class Connection(models.Model):
    """A model provider or server, with its key. The key is write-only."""

    class Kind(models.TextChoices):
        OPENAI = "openai"
        ANTHROPIC = "anthropic"
        GOOGLE = "google"
        COMPATIBLE = "compatible"

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    base_url = models.CharField(max_length=400, blank=True)
    """Empty for the provider's own; required for a compatible server."""
    model = models.CharField(max_length=200, blank=True)
    """Model of runs and packs that name none."""
    model_names = models.JSONField(default=dict)
    """Name in packs → model of the provider; "" is this connection's own model."""
    prices = models.JSONField(default=dict)
    """Model of the provider, or `*` for any → `input`, `output` and perhaps `cached_input` in USD
    per million tokens. A model without one has the published price of its provider."""
    timeout = models.FloatField(null=True)
    """Timeout of an answer in seconds; None for the server's default."""
    sealed_key = models.TextField(blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    """Null: all users share the connection."""
    default = models.BooleanField(default=False)
    """Default of states, runs and packs that name no connection; at most one row of an owner."""
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["default"],
                condition=models.Q(default=True, owner=None),
                name="one_default_connection",
            ),
            models.UniqueConstraint(
                fields=["owner"],
                condition=models.Q(default=True),
                name="one_default_connection_per_owner",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ModelChoice(models.Model):
    """Model choice of a state of a pack, or of the whole pack if `state` is "". Stored separately
    from the files. `connection` is a name, as in runs; "" in either field leaves it to the next
    level."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="model_choices")
    state = models.TextField(blank=True)
    connection = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pack", "state"], name="one_model_choice_per_state")
        ]
