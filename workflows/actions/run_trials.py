"""Records of what trials used."""

from __future__ import annotations

from django.contrib.auth.models import User

from workflows.core.engine.signals import Usage
from workflows.models import Run, RunTrial


def record_trial(run: Run, person: User, usage: Usage) -> None:
    """Record the tokens and the cost of one trial, so that the sums of costs have them."""
    RunTrial.objects.create(
        run=run,
        person=person,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost,
    )
