"""Uses of models outside of runs."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workflows.models.runs import Run


class RunTrial(models.Model):
    """Tokens and cost of a trial: a recorded call of a run that a person sent again. Its answer is
    not stored."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="trials")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(auto_now_add=True)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0.0)
    """USD, as far as the price of the model is known."""
