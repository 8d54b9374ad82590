"""States that are bound to a role."""

from __future__ import annotations

from collections import Counter

from django.contrib.auth.models import User

from roles.models import Role
from roles.rights import visible
from workflows.models import State
from workflows.opened_packs.bodies import NOWHERE
from workflows.selectors.layout import Layout


def states_bound() -> Counter[int]:
    """Role id → states of newest revisions that are bound to it."""
    rows = State.objects.filter(bound__isnull=False).values_list("bound", flat=True)
    return Counter(one["role"] for one in rows if isinstance(one, dict) and "role" in one)


def readable_bindings(layout: Layout, person: User) -> Layout:
    """The layout without the roles that this user may not see."""
    readable = set(visible(Role.objects.all(), person).values_list("pk", flat=True))

    def place(values: dict[str, object]) -> dict[str, object]:
        bound = values["bound"]
        shown = isinstance(bound, dict) and bound.get("role") in readable
        return values if shown else values | {"bound": None}

    places = {key: place(values) for key, values in layout.items()}
    return {key: values for key, values in places.items() if values != NOWHERE}
