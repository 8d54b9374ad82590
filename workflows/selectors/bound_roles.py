"""States that are bound to a role."""

from __future__ import annotations

from collections import Counter

from workflows.models import State


def states_bound() -> Counter[int]:
    """Role id → states of newest revisions that are bound to it."""
    rows = State.objects.filter(bound__isnull=False).values_list("bound", flat=True)
    return Counter(one["role"] for one in rows if isinstance(one, dict) and "role" in one)
