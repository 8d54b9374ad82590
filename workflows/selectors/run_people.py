"""Acts of people in stored runs."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db.models import Q

from workflows.core.engine.people import PEOPLE_EVENTS, act_of
from workflows.models import RunEvent

DONE_BY_PEOPLE = Q(type="approval.given") | Q(type__in=PEOPLE_EVENTS, fields__by__isnull=False)
"""The events that people caused. A question to a person can be answered without a name."""


def people_of(runs: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[str]]:
    """Acts of people in each of these runs, in order, as `Act.sentence`."""
    found: dict[uuid.UUID, list[str]] = {run: [] for run in runs}
    for event in RunEvent.objects.filter(DONE_BY_PEOPLE, run__in=runs).order_by("run", "n"):
        act = act_of(event.type, event.fields)
        if act:
            found[event.run_id].append(act.sentence)
    return found
