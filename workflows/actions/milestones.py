"""Records of what happened to the whole installation."""

from __future__ import annotations

from django.utils import timezone

from workflows.installation import version
from workflows.models import Milestone


def record(kind: Milestone.Kind) -> None:
    """Store that it happened now, by this version."""
    Milestone.objects.update_or_create(
        kind=kind, defaults={"version": version(), "at": timezone.now()}
    )
